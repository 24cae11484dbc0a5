/**
 * Numbers for stems. A word is stemmed once for each language, and never again: people use few words
 * very often. Numbers are given in order and never reused, so a table by number is a plain array.
 */
import { Uint32List, withCapacity } from '../base/typed-array.js';
import { functionWords, LANGUAGES, languageOfCounts } from './languages.js';
import { MAX_LENGTH, StringNumbers, WordReader } from './word-reader.js';
import { withoutMarks } from './words.js';

/** Of a word that is not indexed. */
const STOPPED = -1;
/** In a table by word: not stemmed yet. The number of a stem is stored as the sum of it and `KNOWN`. */
const UNKNOWN = 0;
const KNOWN = 2;

export class Vocabulary {
  readonly #stems: StringNumbers;
  readonly #words = new StringNumbers();
  /** By language and number of a word: what it became. */
  readonly #known: Int32Array[] = LANGUAGES.map(() => new Int32Array(0));
  /** By number of a word: the languages that have it as a function word. Later words are none. */
  readonly #functionWordOf: Uint8Array;
  /** By mask of function words: how many words of a text have it. */
  readonly #counts = new Uint32Array(1 << LANGUAGES.length);
  /** Reads texts as numbers of words, which `stemOf` takes. One text after another. */
  readonly reader = new WordReader(this.#words);
  /** What is read of one conversation after another, so that each need not have lists that grow. */
  readonly lists = { terms: new Uint32List(), passages: new Uint32List() };

  constructor(stems = new StringNumbers()) {
    this.#stems = stems;
    const masks = Array.from(functionWords(), ([word, mask]) => [this.#words.intern(word), mask]);
    this.#functionWordOf = new Uint8Array(this.#words.capacity);
    for (const [word = 0, mask = 0] of masks) this.#functionWordOf[word] = mask;
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
   * Adds to `terms` the numbers of the stems of the words `from` up to `to` that the reader has, each given
   * one where it has none. Function words of the language have none.
   */
  appendStems(from: number, to: number, language: number, terms: Uint32List): void {
    const words = this.reader.words.array;
    const stems = withCapacity(this.#known[language] ?? new Int32Array(0), this.#words.capacity);
    this.#known[language] = stems;
    const made = terms.reserve(to - from);
    let { count } = terms;
    for (let at = from; at < to; at++) {
      const word = words[at] ?? 0;
      let stem = stems[word] ?? UNKNOWN;
      if (stem === UNKNOWN) {
        stem = this.#stemNumber(word, language) + KNOWN;
        stems[word] = stem;
      }
      if (stem !== STOPPED + KNOWN) made[count++] = stem - KNOWN;
    }
    terms.count = count;
  }

  /** The language of the words that the reader has; `before` if they do not show it. */
  languageOf(before: number): number {
    const { array, count } = this.reader.words;
    const masks = this.#functionWordOf;
    const counts = this.#counts.fill(0);
    for (let at = 0; at < count; at++) {
      const word = array[at] ?? 0;
      if (word >= masks.length) continue;
      const mask = masks[word] ?? 0;
      counts[mask] = (counts[mask] ?? 0) + 1;
    }
    return languageOfCounts(counts, before);
  }

  /** The number of a stem, if any text has it. */
  find(stem: string): number | undefined {
    return this.#stems.find(stem);
  }

  #stemNumber(word: number, language: number): number {
    const stem = stemOf(this.word(word), language);
    return stem === undefined ? STOPPED : this.#stems.intern(stem);
  }
}

/** `undefined` for what the language does not index. `word` in lower case. */
export function stemOf(word: string, position: number): string | undefined {
  const language = LANGUAGES[position];
  if (language === undefined || language.stopWords.has(word)) return undefined;
  return withoutMarks(language.stem(word.slice(0, MAX_LENGTH))) || undefined;
}
