/** Finds the time that a question names relative to now, such as "yesterday" or "last week". */
import { DAY_MS } from '../../base/clock.js';
import { localDay, startOfDay } from '../../base/local-time.js';
import type { Language, TimePhrases } from '../languages/language.js';

/** The present time, in epoch milliseconds, and the time zone (IANA) in which days begin and end. */
export interface PresentTime {
  readonly ms: number;
  readonly timeZone: string;
}

/** From `from` up to `to`, in epoch milliseconds. */
export interface TimeSpan {
  readonly from: number;
  readonly to: number;
  /** As typed in the question. */
  readonly phrase: string;
}

const UNITS = ['day', 'week', 'month', 'year'] as const;
type Unit = (typeof UNITS)[number];

/** The first span that `text` (in the Unicode form NFC) names; `undefined` if it names none. */
export function timeSpanIn(
  text: string,
  language: Language | undefined,
  now: PresentTime,
): TimeSpan | undefined {
  const phrases = language?.timePhrases;
  if (phrases === undefined) return undefined;
  return counted(text, phrases, now) ?? named(text, phrases, now);
}

export const isInSpan = (time: number, { from, to }: TimeSpan): boolean =>
  time >= from && time < to;

/** "3 weeks ago", "in the last 3 weeks". */
function counted(text: string, phrases: TimePhrases, now: PresentTime): TimeSpan | undefined {
  const recent = countAndUnit(phrases.recent.exec(text), phrases);
  if (recent !== undefined) {
    const { phrase, unit, count } = recent;
    return { phrase, from: calendarStart('day', unitsBefore(unit, count, now), now), to: now.ms };
  }
  const ago = countAndUnit(phrases.ago.exec(text), phrases);
  return ago && { phrase: ago.phrase, ...calendarSpan(ago.unit, ago.count, now) };
}

/** "yesterday", "this month". */
function named(text: string, phrases: TimePhrases, now: PresentTime): TimeSpan | undefined {
  for (const unit of UNITS) {
    for (const [back, pattern] of phrases[unit].entries()) {
      const phrase = pattern.exec(text)?.[0];
      if (phrase !== undefined) return { phrase, ...calendarSpan(unit, back, now) };
    }
  }
  return undefined;
}

function countAndUnit(match: RegExpExecArray | null, { numbers }: TimePhrases) {
  const groups = match?.groups ?? {};
  const unit = UNITS.find((name) => groups[name] !== undefined);
  if (match === null || unit === undefined) return undefined;
  const word = groups['count']?.toLowerCase();
  const count = word === undefined ? 1 : (numbers[word] ?? Number(word));
  return { phrase: match[0], unit, count };
}

/** The day, week (from Monday), month or year that is `back` of them before the present one. */
const calendarSpan = (unit: Unit, back: number, now: PresentTime) => ({
  from: calendarStart(unit, unitsBefore(unit, back, now), now),
  to: calendarStart(unit, unitsBefore(unit, back - 1, now), now),
});

/** A day in the unit that is `count` units before the present one, as midnight in UTC. */
function unitsBefore(unit: Unit, count: number, { ms, timeZone }: PresentTime): Date {
  const date = new Date(`${localDay(ms, timeZone)}T00:00:00Z`);
  if (unit === 'day' || unit === 'week') {
    date.setTime(date.getTime() - count * (unit === 'week' ? 7 : 1) * DAY_MS);
    return date;
  }
  const day = date.getUTCDate();
  date.setUTCDate(1); // 31 May minus one month is no day of April
  date.setUTCMonth(date.getUTCMonth() - count * (unit === 'year' ? 12 : 1));
  const daysInMonth = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0));
  date.setUTCDate(Math.min(day, daysInMonth.getUTCDate()));
  return date;
}

/** The beginning of the unit that contains `date`, in epoch milliseconds. */
function calendarStart(unit: Unit, date: Date, { timeZone }: PresentTime): number {
  const first = new Date(date);
  if (unit === 'week') first.setUTCDate(first.getUTCDate() - ((first.getUTCDay() + 6) % 7));
  if (unit === 'month' || unit === 'year') first.setUTCDate(1);
  if (unit === 'year') first.setUTCMonth(0);
  return startOfDay(first.toISOString().slice(0, 10), timeZone);
}
