/**
 * Numbers for stems. A word is stemmed once for each language, and never again: people use few words
 * very often. Numbers are given in order and never taken back, so a table by number is a plain array.
 */
import { LANGUAGES } from './languages.js';
import { withoutMarks } from './words.js';

/** Of a word that is not indexed. */
export const STOPPED = -1;
/** Longer ones are data and not words. */
const MAX_LENGTH = 64;

export class Vocabulary {
  readonly #terms: string[];
  readonly #numbers = new Map<string, number>();
  /** By language: what a word became. */
  readonly #known: Map<string, number>[] = LANGUAGES.map(() => new Map());

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

  /** The number of a word's stem in a language, given one where it has none; `STOPPED` for function words. */
  numberOf(word: string, language: number): number {
    const known = this.#known[language]?.get(word);
    if (known !== undefined) return known;
    const stem = stemOf(word, language);
    const number = stem === undefined ? STOPPED : this.#numberOfStem(stem);
    this.#known[language]?.set(word, number);
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
  return withoutMarks(language.stem(word.slice(0, MAX_LENGTH)));
}
