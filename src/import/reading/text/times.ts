/**
 * Converts times of other programs to ISO 8601 in UTC. Anything that is no time, or no possible time of a
 * message, counts as absent.
 */
import { isoTime } from '../../../base/clock.js';

/**
 * No message to an assistant is older than the first time. A conversation id has enough digits for the last
 * one.
 */
const FIRST_MS = Date.UTC(1970, 0, 2);
const LAST_MS = Date.UTC(2200, 0, 1);
/**
 * A larger number is not in seconds (it would be after the year 5138) but in milliseconds, microseconds or
 * nanoseconds.
 */
const MAX_SECONDS = 1e11;
const MAX_MS = 1e14;
const MAX_US = 1e17;

/**
 * `value`: a number since 1970 (its size determines the unit), its digits as text, or any text with a date
 * and a time.
 */
export function timeIn(value: unknown): string | undefined {
  if (typeof value === 'bigint') return timeIn(Number(value));
  if (typeof value === 'number') return ofMs(msOf(value));
  if (typeof value !== 'string') return undefined;
  if (/^\d{9,19}(\.\d+)?$/.test(value)) return ofMs(msOf(Number(value)));
  return /^\d{4}-/.test(value) || /[A-Za-z]{3}/.test(value)
    ? ofMs(Date.parse(withZone(value)))
    : undefined;
}

/** The names of zones that `Date.parse` knows, or an offset after the time of the day. */
const ZONE = /\b(UTC?|GMT|[ECMP][SD]T)\b|\d\s?Z$|(:\d\d(\.\d+)?|[AP]M)\s*[+-]\d/i;

/** SQLite and many programs write no time zone; the time is UTC, so that it is the same on every machine. */
function withZone(text: string): string {
  if (/^\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d+)?)?$/.test(text)) {
    return `${text.replace(' ', 'T')}Z`;
  }
  return ZONE.test(text) ? text : `${text} UTC`;
}

/** Like `timeIn`, in Unix milliseconds. */
export function msIn(value: unknown): number | undefined {
  const time = timeIn(value);
  return time === undefined ? undefined : Date.parse(time);
}

function msOf(count: number): number {
  if (count < MAX_SECONDS) return count * 1000;
  if (count < MAX_MS) return count;
  return count < MAX_US ? count / 1000 : count / 1e6;
}

function ofMs(ms: number): string | undefined {
  return ms >= FIRST_MS && ms < LAST_MS ? isoTime(Math.round(ms)) : undefined;
}
