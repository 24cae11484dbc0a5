/**
 * The periods of a report, and the period of a day. The file imports only types, because the command line
 * needs the names for its help when it starts.
 */
import type { Slot } from './local-hours.js';

export const PERIODS = ['day', 'week', 'month'] as const;
export type Period = (typeof PERIODS)[number];

/** The first day of the period: the Monday of the week, the first of the month, or the day itself. */
export function periodOf({ day, weekday }: Slot, period: Period): string {
  if (period === 'day') return day;
  if (period === 'month') return day.slice(0, 7);
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() - weekday);
  return date.toISOString().slice(0, 10);
}
