/**
 * Times as other programs write them, to ISO 8601 in UTC. What is no time, or no time that anybody can
 * have said something at, counts as absent.
 */
import { isoTime } from '../../base/clock.js';

/** Nobody wrote to an assistant before; a conversation id has room for all after. */
const FIRST_MS = Date.UTC(1970, 0, 2);
const LAST_MS = Date.UTC(2200, 0, 1);
/** Larger numbers are milliseconds, microseconds, nanoseconds: as seconds they would be after 5138. */
const MOST_SECONDS = 1e11;
const MOST_MS = 1e14;
const MOST_US = 1e17;

/** A number since 1970 (the unit follows from its size), digits as text, or any text that names a day and time. */
export function timeIn(value: unknown): string | undefined {
  if (typeof value === 'bigint') return timeIn(Number(value));
  if (typeof value === 'number') return ofMs(msOf(value));
  if (typeof value !== 'string') return undefined;
  if (/^\d{9,19}(\.\d+)?$/.test(value)) return ofMs(msOf(Number(value)));
  // SQLite's own form has a space and means UTC.
  const text = /^\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d(\.\d+)?)?$/.test(value)
    ? `${value.replace(' ', 'T')}Z`
    : value;
  return /^\d{4}-/.test(text) || /[A-Za-z]{3}/.test(text) ? ofMs(Date.parse(text)) : undefined;
}

function msOf(count: number): number {
  if (count < MOST_SECONDS) return count * 1000;
  if (count < MOST_MS) return count;
  return count < MOST_US ? count / 1000 : count / 1e6;
}

function ofMs(ms: number): string | undefined {
  return ms >= FIRST_MS && ms < LAST_MS ? isoTime(Math.round(ms)) : undefined;
}
