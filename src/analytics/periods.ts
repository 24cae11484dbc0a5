/**
 * The periods over which a report sums, and the period of a day. The command line reads the names
 * for its help before anything else is loaded, so this file imports types alone.
 */
import type { Slot } from './local-slots.js';

export const PERIODS = ['day', 'week', 'month'] as const;
export type Period = (typeof PERIODS)[number];

/** The Monday of its week, the first of its month, or the day itself. */
export function periodOf({ day, weekday }: Slot, period: Period): string {
  if (period === 'day') return day;
  if (period === 'month') return day.slice(0, 7);
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() - weekday);
  return date.toISOString().slice(0, 10);
}
