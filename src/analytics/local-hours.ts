/**
 * Day, weekday and hour of a time in one time zone. Formatting a time is slow, so one result is cached for each
 * quarter of an hour. This is enough, because time zones differ by whole quarters.
 */

export interface Slot {
  /** `2025-01-24`. */
  readonly day: string;
  /** 0 is Monday. */
  readonly weekday: number;
  readonly hour: number;
}

const QUARTER_MS = 15 * 60_000;
/** Names of days have four digits for the year; earlier and later times count as the first or last day. */
const FIRST_TIME = Date.parse('0000-01-01T00:00:00Z');
const LAST_TIME = Date.parse('9999-12-31T23:59:59Z');
/** `Intl` writes years from 1000 to 9999 with four digits. */
const USUAL = [Date.parse('1001-01-01T00:00:00Z'), Date.parse('9999-01-01T00:00:00Z')] as const;
/** After so many years, the calendar has the same days and weekdays again. */
const CYCLE_YEARS = 400;
const CYCLE_MS = 146_097 * 24 * 60 * 60_000;

export class LocalSlots {
  readonly #format: Intl.DateTimeFormat;
  readonly #slots = new Map<number, Slot>();
  #last: { readonly quarter: number; readonly slot: Slot } | undefined;

  /** `timeZone`: an IANA name. */
  constructor(timeZone: string) {
    // Swedish dates have the format of ISO 8601.
    const style = { timeZone, dateStyle: 'short', timeStyle: 'short' } as const;
    this.#format = new Intl.DateTimeFormat('sv-SE', style);
  }

  /** `time`: epoch milliseconds. */
  of(time: number): Slot {
    const quarter = Math.floor(time / QUARTER_MS);
    if (this.#last?.quarter !== quarter) this.#last = { quarter, slot: this.#slotOf(quarter) };
    return this.#last.slot;
  }

  #slotOf(quarter: number): Slot {
    const known = this.#slots.get(quarter);
    if (known !== undefined) return known;
    const { day, clock } = this.#formatted(quarter * QUARTER_MS);
    const slot = { day, weekday: weekdayOf(day), hour: Number.parseInt(clock, 10) };
    this.#slots.set(quarter, slot);
    return slot;
  }

  /** A time with an unusual year is formatted some hundred years later or earlier. */
  #formatted(time: number): { day: string; clock: string } {
    const within = Math.min(LAST_TIME, Math.max(FIRST_TIME, time));
    const cycles = within < USUAL[0] ? 3 : within >= USUAL[1] ? -1 : 0;
    const [day = '', clock = ''] = this.#format.format(within + cycles * CYCLE_MS).split(' ');
    return { day: cycles === 0 ? day : inYear(day, -cycles * CYCLE_YEARS), clock };
  }
}

/** The same day, so many years later. */
function inYear(day: string, later: number): string {
  const year = Number(day.slice(0, 4)) + later;
  if (year < 0) return '0000-01-01';
  return year > 9999 ? '9999-12-31' : `${String(year).padStart(4, '0')}${day.slice(4)}`;
}

const weekdayOf = (day: string): number => (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7;
