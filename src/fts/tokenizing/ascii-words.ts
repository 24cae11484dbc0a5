/**
 * The base class of tokenizers that convert a text to the numbers of its words. One pass over the code units
 * finds words of ASCII letters and digits; it creates no string for a word that has a number already.
 * Building an index spends most of its time here.
 */
import { HALF_KEY, KEY_BASE, KEY_DIGITS, MAX_KEYED } from '../terms/term-keys.js';
import type { TermTable } from '../terms/term-table.js';

/** Longer buffers are not kept for the next text. */
const MAX_RETAINED_UNITS = 2 ** 18;
const SPACE_CODE = 0x20;

export abstract class AsciiWords {
  readonly #table: TermTable;
  /** The code units of the text being read, followed by a space. */
  protected units = new Uint16Array(1024);
  #bytes = Buffer.from(this.units.buffer);
  #firstKey = 0;
  #secondKey = 0;

  constructor(table: TermTable) {
    this.#table = table;
  }

  /** Copies the text into a typed array, which is several times faster to read than a string. */
  protected load(text: string): Uint16Array {
    if (text.length >= this.units.length || this.units.length > MAX_RETAINED_UNITS) {
      this.units = new Uint16Array(Math.max(1024, text.length * 2));
      this.#bytes = Buffer.from(this.units.buffer);
    }
    this.#bytes.write(text, 'utf16le');
    this.units[text.length] = SPACE_CODE;
    return this.units;
  }

  /** Reads ASCII letters and digits from `start`, computes their key, and returns where they end. */
  protected scanWord(start: number): number {
    const { units } = this;
    const half = start + HALF_KEY;
    let first = 0;
    let second = 0;
    let at = start;
    let digit = KEY_DIGITS[units[at] ?? 0] ?? 0;
    while (digit !== 0) {
      if (at < half) first = (Math.imul(first, KEY_BASE) + digit) | 0;
      else second = (Math.imul(second, KEY_BASE) + digit) | 0;
      digit = KEY_DIGITS[units[++at] ?? 0] ?? 0;
    }
    this.#firstKey = first;
    this.#secondKey = second;
    return at;
  }

  /** The number of the word that `scanWord` found, in lower case. */
  protected numberOf(text: string, start: number, end: number): number {
    return end - start <= MAX_KEYED
      ? this.#table.internKey(this.#firstKey, this.#secondKey, text, start, end)
      : this.#table.internLong(text, this.units, start, end);
  }
}
