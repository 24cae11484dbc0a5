/**
 * Times for people: in the time zone of the settings, which is the system's by default, or in UTC with
 * --utc. The zone is shown once, beside a list, not at each time.
 */
import { configuration, type Flags } from '../configuration.js';

export interface Times {
  /** Such as `Europe/Berlin`. */
  readonly zone: string;
  /** `2025-01-24 15:00`, of an ISO 8601 time or epoch milliseconds; a text that is not a time is returned as it is. */
  minute(time: string | number): string;
}

export function timesFor(flags: Flags): Times {
  const zone = flags['utc'] ? 'UTC' : configuration(flags).timeZone;
  // Swedish dates have the form of ISO 8601. One formatter for a list: it takes long to build.
  const style = { timeZone: zone, dateStyle: 'short', timeStyle: 'short' } as const;
  const format = new Intl.DateTimeFormat('sv-SE', style);
  return {
    zone,
    minute(time) {
      const date = new Date(time);
      return Number.isNaN(date.getTime()) ? String(time) : format.format(date);
    },
  };
}
