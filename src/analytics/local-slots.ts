/**
 * The day, weekday and hour of a time in one time zone. Formatting a time is slow, and zones differ by
 * multiples of a quarter of an hour, so each quarter is worked out once.
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

  /** `timeZone`: a name of the IANA database. */
  constructor(timeZone: string) {
    // Swedish dates have the form of ISO 8601.
    const style = { timeZone, dateStyle: 'short', timeStyle: 'short' } as const;
    this.#format = new Intl.DateTimeFormat('sv-SE', style);
  }

  /** Of epoch milliseconds. */
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
