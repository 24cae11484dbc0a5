/**
 * Day, weekday and hour of a time in one time zone. Formatting a time is slow. Time zones differ by
 * multiples of a quarter of an hour, so one result for each quarter of an hour is cached.
 */

export interface Slot {
  /** `2025-01-24`. */
  readonly day: string;
  /** 0 is Monday. */
  readonly weekday: number;
  readonly hour: number;
}

const QUARTER_MS = 15 * 60_000;

export class LocalSlots {
  readonly #format: Intl.DateTimeFormat;
  readonly #slots = new Map<number, Slot>();

  /** `timeZone`: an IANA name. */
  constructor(timeZone: string) {
    // Swedish dates have the format of ISO 8601.
    const style = { timeZone, dateStyle: 'short', timeStyle: 'short' } as const;
    this.#format = new Intl.DateTimeFormat('sv-SE', style);
  }

  /** `time`: epoch milliseconds. */
  of(time: number): Slot {
    const quarter = Math.floor(time / QUARTER_MS);
    const known = this.#slots.get(quarter);
    if (known !== undefined) return known;
    const [day = '', clock = ''] = this.#format.format(quarter * QUARTER_MS).split(' ');
    const slot = { day, weekday: weekdayOf(day), hour: Number.parseInt(clock, 10) };
    this.#slots.set(quarter, slot);
    return slot;
  }
}

const weekdayOf = (day: string): number => (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7;
