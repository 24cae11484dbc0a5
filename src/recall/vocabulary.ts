/**
 * Numbers for stems. A word is stemmed once for each language, and never again: people use few words
 * very often. Numbers are given in order and never reused, so a table by number is a plain array.
 */
import { withCapacity } from '../base/typed-array.js';
import { functionWordMask, LANGUAGES, languageOf } from './languages.js';
import { MAX_LENGTH, StringNumbers, WordReader } from './word-reader.js';
import { withoutMarks } from './words.js';

/** Of a word that is not indexed. */
export const STOPPED = -1;
/** In a table by word: not stemmed yet. The number of a stem is stored as the sum of it and `KNOWN`. */
const UNKNOWN = 0;
const KNOWN = 2;

export class Vocabulary {
  readonly #stems: StringNumbers;
  readonly #words = new StringNumbers();
  /** By language and number of a word: what it became. */
  readonly #known: Int32Array[] = LANGUAGES.map(() => new Int32Array(0));
  /** By number of a word: the languages that have it as a function word; of the first `#seen` words. */
  #functionWordOf = new Uint8Array(0);
  #seen = 0;
  /** Reads texts as numbers of words, which `stemOf` takes. One text after another. */
  readonly reader = new WordReader(this.#words);

  constructor(stems = new StringNumbers()) {
    this.#stems = stems;
  }

  /** All numbers of stems are lower. */
  get size(): number {
    return this.#stems.capacity;
  }

  /** The stem of a number. */
  term(number: number): string {
    return this.#stems.term(number);
  }

  /** The word of a number that the reader gave. */
  word(number: number): string {
    return this.#words.term(number);
  }

  /**
   * The number of the stem that the word has in a language, given one where it has none; `STOPPED` for
   * function words.
   */
  stemOf(word: number, language: number): number {
    const known = this.#known[language]?.[word] ?? UNKNOWN;
    return known === UNKNOWN ? this.#stem(word, language) : known - KNOWN;
  }

  /** The language of the words that the reader has; `before` if they do not show it. */
  languageOf(before: number): number {
    const { array, count } = this.reader.words;
    const all = this.#masks();
    const masks = new Uint8Array(count);
    for (let at = 0; at < count; at++) masks[at] = all[array[at] ?? 0] ?? 0;
    return languageOf(masks, before);
  }

  #masks(): Uint8Array {
    const { capacity } = this.#words;
    this.#functionWordOf = withCapacity(this.#functionWordOf, capacity);
    for (; this.#seen < capacity; this.#seen++)
      this.#functionWordOf[this.#seen] = functionWordMask(this.word(this.#seen));
    return this.#functionWordOf;
  }

  /** The number of a stem, if any text has it. */
  find(stem: string): number | undefined {
    return this.#stems.find(stem);
  }

  #stem(word: number, language: number): number {
    const stem = stemOf(this.word(word), language);
    const number = stem === undefined ? STOPPED : this.#stems.intern(stem);
    const table = withCapacity(this.#known[language] ?? new Int32Array(0), this.#words.capacity);
    table[word] = number + KNOWN;
    this.#known[language] = table;
    return number;
  }
}

/** `undefined` for what the language does not index. `word` in lower case. */
export function stemOf(word: string, position: number): string | undefined {
  const language = LANGUAGES[position];
  if (language === undefined || language.stopWords.has(word)) return undefined;
  return withoutMarks(language.stem(word.slice(0, MAX_LENGTH))) || undefined;
}
