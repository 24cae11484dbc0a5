/**
 * The stem by which recall compares a word: without the ending that the stemmer of its language removes, and
 * without diacritics. Questions and messages use the same function.
 */
import { LANGUAGES } from '../languages.js';
import { MAX_LENGTH } from './word-reader.js';
import { withoutDiacritics } from './words.js';

/**
 * Numbers, identifiers and hashes. No inflected word ends in a digit or has one before its last letters, so they
 * are not stemmed. One letter after a digit can be a plural (`mp3s`).
 */
const IS_IDENTIFIER = /[0-9](?:$|..)/;

/** The stem of `word` (in lower case); `undefined` if it is not indexed. `languageIndex`: in LANGUAGES. */
export function stemOf(word: string, languageIndex: number): string | undefined {
  const language = LANGUAGES[languageIndex];
  if (language === undefined || language.stopWords.has(word)) return undefined;
  if (IS_IDENTIFIER.test(word)) return withoutDiacritics(word.slice(0, MAX_LENGTH));
  return withoutDiacritics(language.stem(word.slice(0, MAX_LENGTH))) || undefined;
}
