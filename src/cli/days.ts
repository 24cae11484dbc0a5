/** Days on the command line: a number of days, such as `90d`, and a date, which is a day in the local zone. */
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

/** The inputs of tools that are the first and the last day of a period: of a fact its first day, of an insight its last. */
const FIRST_DAYS = ['startDate', 'createdAfter', 'updatedAfter', 'since', 'validTo', 'ts'];
const LAST_DAYS = ['endDate', 'createdBefore', 'updatedBefore', 'until', 'asOf', 'expires'];
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/**
 * Tools read a date as a day in UTC. Here it becomes a day in `zone`, in which the command shows times; also in
 * each fact of `triples`.
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
