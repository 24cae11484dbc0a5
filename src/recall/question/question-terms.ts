/**
 * The terms of the index for which a word of a question stands: its stems, longer compounds that end with it, its
 * last part, its other spelling, and for one Chinese character the pairs that have it.
 */
import { LANGUAGES } from '../languages.js';
import type { Vocabulary } from '../vocabulary.js';
import { stemOf } from '../words/stemming.js';

/** Many Japanese and Chinese nouns are one such character; a single kana is mostly a particle. */
const HAN_CHARACTER = /^\p{sc=Han}$/u;

/**
 * In languages that join nouns, `Bremse` also stands for `Scheibenbremse`, and a word that no message has,
 * such as `Zugverspätung`, for its last part. German nouns have a capital; verbs such as `stellen` would
 * match too much (`herstellen`).
 */
export function termsFor(
  word: string,
  isCapitalized: boolean,
  vocabulary: Vocabulary,
  languages: readonly number[],
): number[] {
  const terms = new Set<number>();
  const joined: string[] = [];
  for (const language of languages) {
    const stem = stemOf(word, language);
    if (stem === undefined) continue;
    const term = vocabulary.find(stem);
    if (term !== undefined) terms.add(term);
    if (LANGUAGES[language]?.joinsNouns) joined.push(stem);
  }
  if (terms.size === 0) addOtherSpellings(word, terms, vocabulary, languages);
  if (HAN_CHARACTER.test(word)) for (const term of vocabulary.pairsWith(word)) terms.add(term);
  const isUnknown = terms.size === 0;
  if (!isUnknown && !isCapitalized) return [...terms];
  for (const stem of joined) {
    for (const term of vocabulary.endingWith(stem)) terms.add(term);
    const part = isUnknown ? vocabulary.longestEnd(stem) : undefined;
    if (part !== undefined) terms.add(part);
  }
  return [...terms];
}

/** A word that no message has may be there in another spelling, such as `Gewaechshaus` for `Gewächshaus`. */
function addOtherSpellings(
  word: string,
  terms: Set<number>,
  vocabulary: Vocabulary,
  languages: readonly number[],
): void {
  for (const language of languages) {
    const other = LANGUAGES[language]?.otherSpelling?.(word);
    const stem = other === undefined ? undefined : stemOf(other, language);
    const term = stem === undefined ? undefined : vocabulary.find(stem);
    if (term !== undefined) terms.add(term);
  }
}
