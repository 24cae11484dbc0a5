/**
 * The periods of a report, and the period of a day. The file imports only types, because the command line
 * needs the names for its help when it starts.
 */
import type { Slot } from './local-hours.js';

export const PERIODS = ['day', 'week', 'month'] as const;
export type Period = (typeof PERIODS)[number];

const FIRST_DAY = '0000-01-01';

/**
 * The name of the period: the Monday of the week, the month, or the day itself. The first week of the year 0
 * begins with its first day, because days before it have no name of four digits.
 */
export function periodOf({ day, weekday }: Slot, period: Period): string {
  if (period === 'day') return day;
  if (period === 'month') return day.slice(0, 7);
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() - weekday);
  return date.getUTCFullYear() < 0 ? FIRST_DAY : date.toISOString().slice(0, 10);
}
