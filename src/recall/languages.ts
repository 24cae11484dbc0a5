/**
 * The languages that recall stems, and detection of a text's language: the language from which the text
 * has the most different function words. They are not counted each time, because in texts about files the same
 * word is often part of many names. A text with too few of them (a name, "ok") gets the language of the text
 * before it.
 */
import { addBits } from '../base/arrays/bit-counts.js';
import { dutch } from './languages/dutch.js';
import { english } from './languages/english.js';
import { french } from './languages/french.js';
import { german } from './languages/german.js';
import { italian } from './languages/italian.js';
import { japanese } from './languages/japanese.js';
import type { Language } from './languages/language.js';
import { portuguese } from './languages/portuguese.js';
import { spanish } from './languages/spanish.js';

/** English is the default (index 0). The cache stores indexes, so the order must not change. */
export const LANGUAGES: readonly Language[] = [
  english,
  german,
  french,
  spanish,
  italian,
  portuguese,
  dutch,
  japanese,
];

/** Fewer function words do not determine the language: one such word may be a name. */
const DECISIVE_WORDS = 2;

/** In texts of all languages they are also parts of file names (`main.c`), variables and options. */
const SINGLE_CONSONANT = /^[b-df-hj-np-tv-z]$/;

/** By function word that shows a language: bitmask of the languages that have it. */
const languagesOf = new Map<string, number>();
LANGUAGES.forEach(({ stopWords }, position) => {
  for (const word of stopWords) {
    if (SINGLE_CONSONANT.test(word)) continue;
    languagesOf.set(word, (languagesOf.get(word) ?? 0) | (1 << position));
  }
});

/** The function words that show a language, each with the bitmask of its languages. */
export const functionWords = (): Iterable<[word: string, mask: number]> => languagesOf;

/** Bitmask of the languages that the word (in lower case) shows, because it is one of their function words. */
export const functionWordMask = (word: string): number => languagesOf.get(word) ?? 0;

/** Index in LANGUAGES of the language of a text's words (in lower case); `before` if they do not decide. */
export function languageOf(words: Iterable<string>, before: number): number {
  const counts = new Uint32Array(LANGUAGES.length);
  for (const word of new Set(words)) addBits(counts, 0, functionWordMask(word));
  return languageOfCounts(counts, before);
}

/** Like `languageOf`, from the number of different function words of each language. */
export function languageOfCounts(counts: Uint32Array, before: number): number {
  let best = before;
  let most = counts[before] ?? 0;
  for (let position = 0; position < counts.length; position++) {
    const count = counts[position] ?? 0;
    if (count <= most) continue;
    best = position;
    most = count;
  }
  return most >= DECISIVE_WORDS ? best : before;
}
