/**
 * Times as text for people, in the configured time zone (default: that of the system), or in UTC with
 * --utc. A list shows the zone once.
 */
import { hasExistingDay, isoTime } from '../../base/clock.js';
import { endOfDay, startOfDay } from '../../base/local-time.js';
import { configuration, type Flags } from '../configuration.js';

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

/** The inputs of tools that are the first and the last day of a period. */
const FIRST_DAYS = ['startDate', 'createdAfter', 'updatedAfter', 'since', 'validTo'];
const LAST_DAYS = ['endDate', 'createdBefore', 'updatedBefore', 'until', 'asOf'];
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Tools read a date as a day in UTC. Here it becomes a day in `zone`, in which the command shows times. */
export function withLocalDays<T extends Readonly<Record<string, unknown>>>(
  input: T,
  zone: string,
): T {
  const days = (names: readonly string[], timeOf: (day: string, zone: string) => number) =>
    names.flatMap((name) => {
      const day = input[name];
      if (typeof day !== 'string' || !DAY.test(day) || !hasExistingDay(day)) return [];
      return [[name, isoTime(timeOf(day, zone))]];
    });
  return {
    ...input,
    ...Object.fromEntries([...days(FIRST_DAYS, startOfDay), ...days(LAST_DAYS, endOfDay)]),
  };
}
