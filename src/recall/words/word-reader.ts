/**
 * Converts texts to word IDs: the words that `scanWords` finds, in the same order, but without a string for
 * each. Indexing spends most of its time here.
 */

import { firstAtLeast } from '../../base/arrays/binary-search.js';
import { Uint32List } from '../../base/arrays/typed-array.js';
import { ownCopy } from '../../base/text/own-copy.js';
import { type PackedTerms, TermTable } from '../../fts/terms/term-table.js';
import { AsciiWords } from '../../fts/tokenizing/ascii-words.js';
import { runAt, scanRun } from './words.js';

/** Longer runs are data, not words: only their first characters count. */
export const MAX_LENGTH = 64;
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
  /** The indexes of the words that count as half a word. */
  readonly #halfWords = new Uint32List();

  constructor(table: StringIds) {
    super(table, MAX_LENGTH);
    this.#table = table;
  }

  /** What was read since `clear`, in half words. */
  get read(): number {
    return this.readBefore(this.words.count);
  }

  /** What was read before the word at index `word`, in half words; `word` may be the index after the last. */
  readBefore(word: number): number {
    const { array, count } = this.#halfWords;
    return 2 * word - firstAtLeast(array, count, word);
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
    this.#halfWords.clear();
  }

  /** Adds the words of a text. */
  add(text: string): void {
    this.readText(text, text.length);
  }

  protected readUnicode(text: string, start: number, at: number): number {
    const code = this.units[at] ?? 0;
    if (code >= FIRST_PUNCTUATION && code <= LAST_PUNCTUATION) {
      if (at > start) this.readAscii(text, start, at);
      return at + 1;
    }
    const run = runAt(text, start);
    if (run === '') return at + ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);
    const known = this.#spellings.get(run);
    if (known !== undefined) this.push(known, start, start + run.length);
    else this.#addRun(run, start);
    return start + run.length;
  }

  #addRun(run: string, from: number): void {
    scanRun(run, from, (word, start, end, weight) => {
      const number = this.#table.intern(word.slice(0, MAX_LENGTH));
      const isWhole = weight === 1;
      if (!isWhole) this.#halfWords.push(this.words.count);
      this.push(number, start, end);
      const isRun = isWhole && end - start === run.length;
      if (!isRun || run.length > MAX_LENGTH || this.#spellings.size >= MAX_SPELLINGS) return;
      this.#spellings.set(ownCopy(run), number);
    });
  }
}
