/**
 * Numbers for stems. A word is stemmed once for each language, and never again: people use few words
 * very often. Numbers are given in order and never taken back, so a table by number is a plain array.
 */
import { withCapacity } from '../base/typed-array.js';
import { functionWordMask, LANGUAGES } from './languages.js';
import { MAX_WORD_LENGTH, WordTable } from './word-table.js';
import { CJK_WEIGHT, scanRuns, withoutMarks } from './words.js';

/** Of a word that is not indexed. */
export const STOPPED = -1;
/** In the tables by word: not asked for yet. Others are numbers of stems from STOPPED on. */
const UNKNOWN = -2;

export class Vocabulary {
  readonly #terms: string[];
  readonly #numbers = new Map<string, number>();
  readonly #words = new WordTable();
  /** By word: its mask, less UNKNOWN. */
  #masks: Int32Array = new Int32Array(0);
  /** By language and word: the number of its stem, less UNKNOWN. */
  readonly #stems: Int32Array[] = LANGUAGES.map(() => new Int32Array(0));

  constructor(terms: readonly string[] = []) {
    this.#terms = [...terms];
    this.#terms.forEach((term, number) => {
      this.#numbers.set(term, number);
    });
  }

  get size(): number {
    return this.#terms.length;
  }

  get terms(): readonly string[] {
    return this.#terms;
  }

  /** Appends the words of a text to `words`; each is an even number, odd where it is a pair of CJK characters. */
  read(text: string, words: number[]): void {
    scanRuns(
      text,
      (start, end) => words.push(this.#words.numberOfAscii(text, start, end) << 1),
      (word, _start, _end, weight) =>
        words.push((this.#words.numberOf(word) << 1) | (weight === CJK_WEIGHT ? 1 : 0)),
    );
  }

  /** The languages that have a word, as `read` gives it, as a function word: see `functionWordMask`. */
  maskOf(word: number): number {
    const at = word >> 1;
    const known = this.#masks[at] ?? 0;
    if (known !== 0) return known + UNKNOWN;
    const mask = functionWordMask(this.#words.wordOf(at));
    this.#masks = withCapacity(this.#masks, at + 1);
    this.#masks[at] = mask - UNKNOWN;
    return mask;
  }

  /** The number of a word's stem in a language, given one where it has none; `STOPPED` for function words. */
  numberOf(word: number, language: number): number {
    const at = word >> 1;
    const known = this.#stems[language]?.[at] ?? 0;
    if (known !== 0) return known + UNKNOWN;
    const stem = stemOf(this.#words.wordOf(at), language);
    const number = stem === undefined ? STOPPED : this.#numberOfStem(stem);
    const stems = withCapacity(this.#stems[language] ?? new Int32Array(0), at + 1);
    stems[at] = number - UNKNOWN;
    this.#stems[language] = stems;
    return number;
  }

  /** The number of a stem, if any text has it. */
  find(stem: string): number | undefined {
    return this.#numbers.get(stem);
  }

  #numberOfStem(stem: string): number {
    const known = this.#numbers.get(stem);
    if (known !== undefined) return known;
    const number = this.#terms.push(stem) - 1;
    this.#numbers.set(stem, number);
    return number;
  }
}

/** `undefined` for what the language does not index. `word` in lower case. */
export function stemOf(word: string, position: number): string | undefined {
  const language = LANGUAGES[position];
  if (language === undefined || language.stopWords.has(word)) return undefined;
  return withoutMarks(language.stem(word.slice(0, MAX_WORD_LENGTH)));
}
