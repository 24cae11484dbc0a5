/**
 * Reads texts as numbers of words: the words that `scanWords` finds, in the same order, but without a string
 * for each. Building the index spends most of its time here.
 */
import { Uint32List } from '../base/typed-array.js';
import { type PackedTerms, TermTable } from '../fts/terms/term-table.js';
import { AsciiWords } from '../fts/tokenizing/ascii-words.js';
import { runAt, scanRun } from './words.js';

/** Longer words are data: only so many of their characters count. */
export const MAX_LENGTH = 64;
const LAST_ASCII = 127;
/** A word, in halves. */
const WHOLE = 2;
/** General punctuation (quotation marks, dashes): no letter is among it. */
const FIRST_PUNCTUATION = 0x2000;
const LAST_PUNCTUATION = 0x206f;
/** More spellings would be data and not words. */
const MOST_SPELLINGS = 2 ** 18;

/** Strings and their numbers, given in order from 0 and never reused. */
export class StringNumbers extends TermTable {
  /** What `pack` gave, under the numbers there. */
  static unpacked(packed: PackedTerms): StringNumbers {
    const numbers = new StringNumbers();
    numbers.unpack(packed);
    return numbers;
  }

  protected onChange(): void {
    // Nothing is derived from the strings.
  }
}

export class WordReader extends AsciiWords {
  readonly #table: StringNumbers;
  /** By run of letters as it stands in a text: the number of its word. */
  readonly #spellings = new Map<string, number>();
  readonly words = new Uint32List();
  /** Of each word: how much was read before it, in halves of a word. Used only if a word is not whole. */
  readonly #reached = new Uint32List();
  #areWhole = true;
  #read = 0;

  constructor(table: StringNumbers) {
    super(table);
    this.#table = table;
  }

  /** How much was read since `clear`, in halves of a word. */
  get read(): number {
    return this.#read;
  }

  /** How much was read before a word, in halves of a word; `word` may be the one behind the last. */
  readBefore(word: number): number {
    if (word >= this.words.count) return this.#read;
    return this.#areWhole ? WHOLE * word : (this.#reached.array[word] ?? 0);
  }

  /** The first word from `from` on before which so many halves were read; behind the last where none is. */
  firstReaching(halves: number, from: number): number {
    let low = from;
    let high = this.words.count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.readBefore(middle) < halves) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  clear(): void {
    this.words.clear();
    this.#reached.clear();
    this.#areWhole = true;
    this.#read = 0;
  }

  /** Adds the words of a text. */
  add(text: string): void {
    const units = this.load(text);
    this.words.reserve(text.length); // no text has more words
    for (let at = 0; at < text.length; at++) {
      const start = at;
      at = this.scanWord(start);
      const code = units[at] ?? 0;
      if (code > LAST_ASCII) at = this.#addUnicode(text, start, at) - 1;
      else if (at > start) this.#addWord(text, start, at);
    }
  }

  #addWord(text: string, start: number, end: number): void {
    this.#push(this.numberOf(text, start, Math.min(end, start + MAX_LENGTH)), WHOLE);
  }

  /** Reads on at `at`, where a character outside ASCII stands; the word began at `start`. Returns the next position. */
  #addUnicode(text: string, start: number, at: number): number {
    const code = this.units[at] ?? 0;
    if (code >= FIRST_PUNCTUATION && code <= LAST_PUNCTUATION) {
      if (at > start) this.#addWord(text, start, at);
      return at + 1;
    }
    const run = runAt(text, start);
    if (run === '') return at + ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);
    const known = this.#spellings.get(run);
    if (known !== undefined) this.#push(known, WHOLE);
    else this.#addRun(run);
    return start + run.length;
  }

  #addRun(run: string): void {
    scanRun(run, 0, (word, start, end, weight) => {
      const number = this.#table.intern(word.slice(0, MAX_LENGTH));
      this.#push(number, WHOLE * weight);
      const isWhole = weight === 1 && start === 0 && end === run.length;
      if (!isWhole || run.length > MAX_LENGTH || this.#spellings.size >= MOST_SPELLINGS) return;
      // A slice would keep the whole text in memory.
      this.#spellings.set(Buffer.from(run, 'utf16le').toString('utf16le'), number);
    });
  }

  #push(number: number, halves: number): void {
    if (halves !== WHOLE && this.#areWhole) {
      for (let word = 0; word < this.words.count; word++) this.#reached.push(WHOLE * word);
      this.#areWhole = false;
    }
    if (!this.#areWhole) this.#reached.push(this.#read);
    this.words.array[this.words.count++] = number;
    this.#read += halves;
  }
}
