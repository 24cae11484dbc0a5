/**
 * The base class of tokenizers that convert a text to the numbers of its words. One pass over the code units
 * finds the words of ASCII letters and digits and looks up their numbers. The subclass reads words that have
 * other characters.
 */
import { Uint32List } from '../../base/arrays/typed-array.js';
import { HALF_KEY, KEY_BASE, KEY_DIGITS, MAX_KEYED } from '../terms/term-keys.js';
import { bucketHash, ENTRY, NEXT, NONE, type TermTable } from '../terms/term-table.js';

/** Longer buffers are not kept for the next text. */
const MAX_RETAINED_UNITS = 2 ** 18;
const LAST_ASCII = 127;
const SPACE_CODE = 0x20;

export abstract class AsciiWords {
  readonly #table: TermTable;
  readonly #longest: number;
  /** The numbers of the words that were read. */
  words = new Uint32List();
  /** Start and end of each word of the text that was read last: start, end, start, end, … */
  protected readonly offsets = new Uint32List();
  /** The code units of the text being read, followed by a space. */
  protected units = new Uint16Array(16);
  #bytes = Buffer.from(this.units.buffer);
  /** The word at which `#findWords` stopped: where it begins, and its key if it is short. */
  readonly #stopped = { start: 0, first: 0, second: 0 };

  /** Only the first `longest` characters of an ASCII word count. */
  constructor(table: TermTable, longest: number) {
    this.#table = table;
    this.#longest = longest;
  }

  /** Appends the words of a text to `words`, which has room for at most `most` of them. */
  protected readText(text: string, most: number): void {
    this.#load(text);
    this.words.reserve(most);
    this.offsets.clear();
    this.offsets.reserve(2 * most + 2);
    for (let at = this.#findWords(0, text.length); at <= text.length; ) {
      const { start } = this.#stopped;
      if ((this.units[at] ?? 0) > LAST_ASCII) at = this.readUnicode(text, start, at);
      else if (at - start > MAX_KEYED) this.readAscii(text, start, at);
      else this.push(this.#table.add(this.#stopped), start, at);
      at = this.#findWords(at, text.length);
    }
  }

  /** Appends a word of ASCII letters and digits, which may be new or long. */
  protected readAscii(text: string, start: number, end: number): void {
    const word = text.slice(start, Math.min(end, start + this.#longest));
    this.push(this.#table.intern(word.toLowerCase()), start, end);
  }

  /** Reads on at a character outside ASCII; the word began at `start`. Returns the next position. */
  protected abstract readUnicode(text: string, start: number, at: number): number;

  protected push(number: number, start: number, end: number): void {
    const { array } = this.offsets;
    array[this.offsets.count++] = start;
    array[this.offsets.count++] = end;
    this.words.array[this.words.count++] = number;
  }

  /** Copies the text into a typed array, which is several times faster to read than a string. */
  #load(text: string): void {
    if (text.length >= this.units.length || this.units.length > MAX_RETAINED_UNITS) {
      this.units = new Uint16Array(2 * text.length + 1);
      this.#bytes = Buffer.from(this.units.buffer);
    }
    this.#bytes.write(text, 'utf16le');
    this.units[text.length] = SPACE_CODE;
  }

  /**
   * Appends the words from `from` on that the table has. Returns where the first other word ends or has a
   * character outside ASCII; more than `length` at the end of the text. Building an index spends most of its
   * time here. It is one loop without calls of methods, so that V8 compiles it once and soon
   * (docs/BENCHMARKS.md).
   */
  #findWords(from: number, length: number): number {
    const { units } = this;
    const { buckets, entries } = this.#table;
    const words = this.words.array;
    const offsets = this.offsets.array;
    let { count } = this.words;
    let offset = this.offsets.count;
    let at = from;
    let start = from;
    let first = 0;
    let second = 0;
    for (; at <= length; at++) {
      start = at;
      const half = start + HALF_KEY;
      first = 0;
      second = 0;
      let digit = KEY_DIGITS[units[at] ?? 0] ?? 0;
      while (digit !== 0) {
        if (at < half) first = (Math.imul(first, KEY_BASE) + digit) | 0;
        else second = (Math.imul(second, KEY_BASE) + digit) | 0;
        digit = KEY_DIGITS[units[++at] ?? 0] ?? 0;
      }
      if ((units[at] ?? 0) > LAST_ASCII || at - start > MAX_KEYED) break;
      if (at === start) continue;
      let number = buckets[bucketHash(first, second) & (buckets.length - 1)] ?? NONE;
      while (number !== NONE) {
        const entry = ENTRY * number;
        if (entries[entry] === first && entries[entry + 1] === second) break;
        number = entries[entry + NEXT] ?? NONE;
      }
      if (number === NONE) break;
      words[count++] = number;
      offsets[offset++] = start;
      offsets[offset++] = at;
    }
    this.words.count = count;
    this.offsets.count = offset;
    this.#stopped.start = start;
    this.#stopped.first = first;
    this.#stopped.second = second;
    return at;
  }
}
