/**
 * The base class of tokenizers that convert a text to the numbers of its words. word-splitter.ts finds the
 * words and their keys, and this class looks up their numbers. The subclass reads words that have characters
 * outside ASCII.
 */
import { Uint32List } from '../../base/arrays/typed-array.js';
import { bucketHash, ENTRY, NEXT, NONE, type TermTable } from '../terms/term-table.js';
import { isInWord, WITHOUT_KEY, WORD, wordSplitter } from './word-splitter.js';

/** Longer buffers are not kept for the next text. */
const MAX_RETAINED_UNITS = 2 ** 18;
const LAST_ASCII = 127;
const SPACE_CODE = 0x20;

export abstract class AsciiWords {
  readonly #table: TermTable;
  readonly #longest: number;
  readonly #splitter = wordSplitter();
  readonly #splitterBytes = bytesOf(this.#splitter.units);
  /** The code units of a text that is too long for the splitter, and a space. */
  #long = new Uint16Array(0);
  /** The numbers of the words that were read. */
  words = new Uint32List();
  /** Start and end of each word of the text that was read last: start, end, start, end, … */
  protected readonly offsets = new Uint32List();
  /** The code units of the text being read, followed by a space. */
  protected units = this.#splitter.units;

  /** Only the first `longest` characters of an ASCII word count. */
  constructor(table: TermTable, longest: number) {
    this.#table = table;
    this.#longest = longest;
  }

  /** Appends the words of a text to `words`, which has room for at most `most` of them. */
  protected readText(text: string, most: number): void {
    this.words.reserve(most);
    this.offsets.clear();
    this.offsets.reserve(2 * most + 2);
    const { units, mostUnits, split } = this.#splitter;
    if (text.length <= mostUnits) {
      // A copy in a typed array is several times faster to read than the string.
      this.#splitterBytes.write(text, 'utf16le');
      this.units = units;
      this.#readWords(text, 0, split(text.length));
    } else {
      this.#loadLong(text);
      for (let from = 0; from < text.length; ) from = this.#readPiece(text, from);
    }
  }

  #loadLong(text: string): void {
    if (text.length >= this.#long.length || this.#long.length > MAX_RETAINED_UNITS)
      this.#long = new Uint16Array(2 * text.length + 1);
    bytesOf(this.#long).write(text, 'utf16le');
    this.#long[text.length] = SPACE_CODE;
    this.units = this.#long;
  }

  /** Reads the words of a long text from `from` on that the splitter has room for. Returns where they end. */
  #readPiece(text: string, from: number): number {
    const { units, mostUnits, words, split } = this.#splitter;
    const to = Math.min(text.length, from + mostUnits);
    units.set(this.#long.subarray(from, to));
    const count = split(to - from);
    const last = WORD * (count - 1);
    // A word that reaches the end of the piece may go on after it.
    const isCut = to < text.length && count > 0 && words[last + 1] === to - from;
    const start = from + (words[last] ?? 0);
    if (isCut && start === from) {
      let end = to;
      while (isInWord(this.#long[end] ?? 0)) end += 1;
      this.#readRun(text, from, end);
      return end;
    }
    this.#readWords(text, from, isCut ? count - 1 : count);
    return isCut ? start : to;
  }

  #readWords(text: string, from: number, count: number): void {
    const { words } = this.#splitter;
    let word = this.#findNumbers(0, count, from);
    for (; word < count; word = this.#findNumbers(word + 1, count, from)) {
      const at = WORD * word;
      const [start, end] = [from + (words[at] ?? 0), from + (words[at + 1] ?? 0)];
      const [first, second] = [words[at + 2] ?? 0, words[at + 3] ?? 0];
      if (second === WITHOUT_KEY) this.#readRun(text, start, end);
      else this.push(this.#table.add({ first, second }), start, end);
    }
  }

  /**
   * Appends the words from `word` on that the table has, and returns the first other one, or `count`. It is
   * one loop without calls of methods, so that V8 compiles it once and soon (docs/BENCHMARKS.md).
   */
  #findNumbers(from: number, count: number, base: number): number {
    const found = this.#splitter.words;
    const { buckets, entries } = this.#table;
    const words = this.words.array;
    const offsets = this.offsets.array;
    let written = this.words.count;
    let offset = this.offsets.count;
    let word = from;
    for (; word < count; word++) {
      const at = WORD * word;
      const first = found[at + 2] ?? 0;
      const second = found[at + 3] ?? 0;
      let number = buckets[bucketHash(first, second) & (buckets.length - 1)] ?? NONE;
      while (number !== NONE) {
        const entry = ENTRY * number;
        if (entries[entry] === first && entries[entry + 1] === second) break;
        number = entries[entry + NEXT] ?? NONE;
      }
      if (number === NONE) break;
      words[written++] = number;
      offsets[offset++] = base + (found[at] ?? 0);
      offsets[offset++] = base + (found[at + 1] ?? 0);
    }
    this.words.count = written;
    this.offsets.count = offset;
    return word;
  }

  /** Reads a word without a key: a long one, or one with characters outside ASCII, which may separate words. */
  #readRun(text: string, start: number, end: number): void {
    for (let at = start; at < end; ) {
      let ascii = at;
      while (ascii < end && (this.units[ascii] ?? 0) <= LAST_ASCII) ascii += 1;
      if (ascii === end) this.readAscii(text, at, end);
      at = ascii === end ? end : this.readUnicode(text, at, ascii);
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
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Uint16Array) =>
  Buffer.from(buffer, byteOffset, byteLength);
