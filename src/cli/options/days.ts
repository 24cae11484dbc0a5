/** Days and times on the command line: a number of days, such as `90d`, or a day or time in the local time zone. */
import { hasExistingDay, isoTime } from '../../base/clock.js';
import { AppError } from '../../base/errors.js';
import { endOfDay, startOfDay, timesOfClock } from '../../base/local-time.js';

const MAX_DAYS = 36_500;

/** The number of days in the value of an option: `90d` or `90`. VALIDATION_ERROR for other texts. */
export function daysOf(text: string, option = '--older-than'): number {
  const days = /^(\d+)d?$/.exec(text.trim())?.[1];
  if (days !== undefined && Number(days) <= MAX_DAYS) return Number(days);
  const form = days === undefined ? 'a number of days, such as 90d' : `at most ${MAX_DAYS} days`;
  throw new AppError('VALIDATION_ERROR', `${option} must be ${form}.`);
}

/** The names of tool inputs for the first day of a period: its start is used. `ts` and `validTo` are of facts. */
const FIRST_DAYS = ['startDate', 'createdAfter', 'updatedAfter', 'since', 'validTo', 'ts'];
/** The names of tool inputs for the last day of a period: its end is used. `expires` is of insights. */
const LAST_DAYS = ['endDate', 'createdBefore', 'updatedBefore', 'until', 'asOf', 'expires'];
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** A time without a zone; `Date.parse` decides whether it exists. */
const CLOCK_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?$/;

/**
 * Replaces each date by the time at which its day starts or ends in `zone`, and each time without a zone by that
 * time in `zone`, because tools read both in UTC, and the command shows times in `zone`. Also replaces those in
 * each fact of `triples`.
 */
export function withLocalTimes<T extends Readonly<Record<string, unknown>>>(
  input: T,
  zone: string,
): T {
  const inZone = (names: readonly string[], isEnd: boolean) =>
    names.flatMap((name) => {
      const text = input[name];
      const time = typeof text === 'string' ? timeIn(zone, text, isEnd) : undefined;
      return time === undefined ? [] : [[name, isoTime(time)]];
    });
  const { triples } = input;
  return {
    ...input,
    ...Object.fromEntries([...inZone(FIRST_DAYS, false), ...inZone(LAST_DAYS, true)]),
    ...(Array.isArray(triples) && { triples: triples.map((each) => withLocalTimes(each, zone)) }),
  };
}

/** The first or last moment of a date or a time without a zone; `undefined` for every other text. */
function timeIn(zone: string, text: string, isEnd: boolean): number | undefined {
  if (!hasExistingDay(text)) return undefined;
  if (DAY.test(text)) return isEnd ? endOfDay(text, zone) : startOfDay(text, zone);
  if (!CLOCK_TIME.test(text) || Number.isNaN(Date.parse(text))) return undefined;
  const [first, last] = timesOfClock(text, zone);
  return isEnd ? last : first;
}
