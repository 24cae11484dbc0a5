/** Days on the command line: a number of days, such as `90d`, or a date, which is a day in the local time zone. */
import { hasExistingDay, isoTime } from '../base/clock.js';
import { AppError } from '../base/errors.js';
import { endOfDay, startOfDay } from '../base/local-time.js';

const MAX_DAYS = 36_500;

/** The number of days in the value of `--older-than`: `90d` or `90`. VALIDATION_ERROR for other texts. */
export function olderThanDaysOf(text: string): number {
  const days = /^(\d+)d?$/.exec(text.trim())?.[1];
  if (days !== undefined && Number(days) <= MAX_DAYS) return Number(days);
  const form = days === undefined ? 'a number of days, such as 90d' : `at most ${MAX_DAYS} days`;
  throw new AppError('VALIDATION_ERROR', `--older-than must be ${form}.`);
}

/** The names of tool inputs for the first day of a period: its start is used. `ts` and `validTo` are of facts. */
const FIRST_DAYS = ['startDate', 'createdAfter', 'updatedAfter', 'since', 'validTo', 'ts'];
/** The names of tool inputs for the last day of a period: its end is used. `expires` is of insights. */
const LAST_DAYS = ['endDate', 'createdBefore', 'updatedBefore', 'until', 'asOf', 'expires'];
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/**
 * Replaces each date by the time at which its day starts or ends in `zone`, because tools read a date as a day
 * in UTC, and the command shows times in `zone`. Also replaces the dates in each fact of `triples`.
 */
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
  const { triples } = input;
  return {
    ...input,
    ...Object.fromEntries([...days(FIRST_DAYS, startOfDay), ...days(LAST_DAYS, endOfDay)]),
    ...(Array.isArray(triples) && { triples: triples.map((each) => withLocalDays(each, zone)) }),
  };
}
