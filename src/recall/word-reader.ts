/**
 * Converts texts to word IDs: the words that `scanWords` finds, in the same order, but without a string for
 * each. Indexing spends most of its time here.
 */

import { Uint32List } from '../base/arrays/typed-array.js';
import { ownCopy } from '../base/display-text.js';
import { type PackedTerms, TermTable } from '../fts/terms/term-table.js';
import { AsciiWords } from '../fts/tokenizing/ascii-words.js';
import { runAt, scanRun } from './words.js';

/** Longer runs are data, not words: only their first characters count. */
export const MAX_LENGTH = 64;
const LAST_ASCII = 127;
/** A word, in half words. */
const WHOLE = 2;
/** General punctuation (quotation marks, dashes): this block has no letters. */
const FIRST_PUNCTUATION = 0x2000;
const LAST_PUNCTUATION = 0x206f;
/** Limits the memory of the spelling cache; more spellings would be data, not words. */
const MAX_SPELLINGS = 2 ** 18;

/** Strings with IDs that ascend from 0 and are never reused. */
export class StringIds extends TermTable {
  /** The table from which `pack` made `packed`, with the same IDs. */
  static unpacked(packed: PackedTerms): StringIds {
    const numbers = new StringIds();
    numbers.unpack(packed);
    return numbers;
  }

  protected onChange(): void {
    // The recall cache needs only the strings.
  }
}

export class WordReader extends AsciiWords {
  readonly #table: StringIds;
  /** By run of letters as it is in the text: the word ID. */
  readonly #spellings = new Map<string, number>();
  readonly words = new Uint32List();
  /** By word: what was read before it, in half words. Used only if some words do not count as whole. */
  readonly #reached = new Uint32List();
  #areWhole = true;
  #read = 0;

  constructor(table: StringIds) {
    super(table);
    this.#table = table;
  }

  /** What was read since `clear`, in half words. */
  get read(): number {
    return this.#read;
  }

  /** What was read before the word at index `word`, in half words; `word` may be the index after the last. */
  readBefore(word: number): number {
    if (word >= this.words.count) return this.#read;
    return this.#areWhole ? WHOLE * word : (this.#reached.array[word] ?? 0);
  }

  /** The first word, from `from`, before which `halves` half words were read; otherwise the count. */
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

  /** At `at` is a character outside ASCII; the word began at `start`. Returns the next position. */
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
      if (!isWhole || run.length > MAX_LENGTH || this.#spellings.size >= MAX_SPELLINGS) return;
      this.#spellings.set(ownCopy(run), number);
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
