/** Times as text, in the configured zone (default: the system's), or with --utc in UTC. */
import { configuration, type Flags } from '../options/configuration.js';

export interface Times {
  /** Such as `Europe/Berlin`. */
  readonly zone: string;
  /** Such as `2025-01-24 15:00`. `time`: ISO 8601 or epoch milliseconds; other texts are returned unchanged. */
  minute(time: string | number): string;
}

/** The zone in which a command shows times. */
export const zoneFor = (flags: Flags): string =>
  flags['utc'] ? 'UTC' : configuration(flags).timeZone;

export function timesFor(flags: Flags): Times {
  const zone = zoneFor(flags);
  // Swedish dates have the form of ISO 8601. Making a formatter is slow, so a list shares one.
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
