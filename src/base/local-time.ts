/**
 * Formats times for people: date, time of day and time zone (IANA), such as `2025-12-24 20:30 (Asia/Qatar)`.
 * Files and structured results use ISO 8601 in UTC.
 */
import { DAY_MS } from './clock.js';

/** Whether this JavaScript engine supports the zone. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** Making a format takes a hundred times as long as its use. */
const formats = new Map<string, Intl.DateTimeFormat>();
const MAX_FORMATS = 100;

/** Returns the format of days and times of day in a zone, such as `2025-12-24 20:30:00`. */
function formatIn(timeZone: string, timeStyle?: 'short' | 'medium'): Intl.DateTimeFormat {
  const key = `${timeZone} ${timeStyle}`;
  const known = formats.get(key);
  if (known !== undefined) return known;
  // The Swedish locale formats dates like ISO 8601.
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle });
  if (formats.size === MAX_FORMATS) formats.clear();
  formats.set(key, format);
  return format;
}

let systemZone: string | undefined;

/**
 * The zone of the operating system at the first call, as Node uses it. UTC if TZ names none: for an empty TZ
 * or `GMT+5` Node 20 reports a name that it does not accept itself.
 */
export function systemTimeZone(): string {
  if (systemZone === undefined) {
    const { timeZone = 'UTC' } = new Intl.DateTimeFormat().resolvedOptions();
    systemZone = isTimeZone(timeZone) ? timeZone : 'UTC';
  }
  return systemZone;
}

/** Returns the day of a time in a zone, such as `2025-12-24`. */
export const localDay = (epochMs: number, timeZone: string): string =>
  formatIn(timeZone).format(epochMs);

/** Years outside these have fewer or more than four digits in some zone. Their days are those of UTC. */
const FIRST_LOCAL_YEAR = '1000';
const LAST_LOCAL_YEAR = '9998';

/**
 * Returns the beginning of a day (`2025-12-24`) in a zone, in epoch milliseconds. It is the first moment of
 * the day also where clocks change at midnight.
 */
export function startOfDay(day: string, timeZone: string): number {
  const midnight = Date.parse(day);
  if (!hasLocalYear(day)) return midnight;
  const format = formatIn(timeZone, 'medium');
  const { before, after } = clockTimes(midnight, format);
  const ofDay = [before, after].filter((ms) => format.format(ms).startsWith(day));
  return ofDay.length > 0 ? Math.min(...ofDay) : after;
}

/**
 * Returns the first and the last time at which clocks in a zone show `text` (`2025-12-24T20:30`, also with
 * seconds), in epoch milliseconds. They differ if clocks are set back at that time. A time that clocks skip
 * is read as if they had not been set forward yet.
 */
export function timesOfClock(text: string, timeZone: string): readonly [number, number] {
  const shown = Date.parse(`${text}Z`);
  if (!hasLocalYear(text)) return [shown, shown];
  const format = formatIn(timeZone, 'medium');
  const { before, after } = clockTimes(shown, format);
  const found = [before, after].filter((ms) => ms + offsetAt(ms, format) === shown);
  return found.length > 0 ? [Math.min(...found), Math.max(...found)] : [before, before];
}

const hasLocalYear = (text: string) =>
  text.slice(0, 4) >= FIRST_LOCAL_YEAR && text.slice(0, 4) <= LAST_LOCAL_YEAR;

/**
 * The times at which clocks show `shown` (in epoch milliseconds, as if it were UTC): with the offset before a
 * change of the clocks on that day, and with the one after it.
 */
const clockTimes = (shown: number, format: Intl.DateTimeFormat) => ({
  before: shown - offsetAt(shown - DAY_MS, format),
  after: shown - offsetAt(shown + DAY_MS, format),
});

/** How far the clocks of a zone are ahead of UTC, in milliseconds. The format shows whole seconds. */
function offsetAt(epochMs: number, format: Intl.DateTimeFormat): number {
  const seconds = Math.floor(epochMs / 1000) * 1000;
  return Date.parse(`${format.format(seconds).replace(' ', 'T')}Z`) - seconds;
}

/** Returns the last millisecond of a day in a zone. */
export function endOfDay(day: string, timeZone: string): number {
  const nextMidnight = Date.parse(day) + DAY_MS;
  if (day.slice(0, 4) > LAST_LOCAL_YEAR) return nextMidnight - 1;
  return startOfDay(new Date(nextMidnight).toISOString().slice(0, 10), timeZone) - 1;
}

/** Returns a text such as `2025-12-24 20:30 (Asia/Qatar)`; the text itself if it is not a time. */
export function localTime(isoText: string, timeZone: string): string {
  const date = new Date(isoText);
  if (Number.isNaN(date.getTime())) return isoText;
  return `${formatIn(timeZone, 'short').format(date)} (${timeZone})`;
}
