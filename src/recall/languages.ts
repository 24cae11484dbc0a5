/**
 * The languages that recall stems, and which of them a text is in. A text's language is the one most
 * of whose function words it uses; what says too little (a name, "ok") is taken for the language of the
 * text before it, so a conversation keeps its language.
 */
import { dutch } from './languages/dutch.js';
import { english } from './languages/english.js';
import { french } from './languages/french.js';
import { german } from './languages/german.js';
import { italian } from './languages/italian.js';
import { japanese } from './languages/japanese.js';
import type { Language } from './languages/language.js';
import { portuguese } from './languages/portuguese.js';
import { spanish } from './languages/spanish.js';

/** English first: it counts where nothing else is known. The cache stores their positions. */
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

/** Words that decide: a single one may be a name. */
const DECISIVE_WORDS = 2;

/** By function word: a bit for each language that has it. */
const languagesOf = new Map<string, number>();
LANGUAGES.forEach(({ stopWords }, position) => {
  for (const word of stopWords)
    languagesOf.set(word, (languagesOf.get(word) ?? 0) | (1 << position));
});

/** All function words, each with a bit for each language that has it. */
export const functionWords = (): Iterable<[word: string, mask: number]> => languagesOf;

/** A bit for each language that has the word (in lower case) as a function word. */
export const functionWordMask = (word: string): number => languagesOf.get(word) ?? 0;

/** The position in LANGUAGES of the language of words with such masks; `before` if they do not show it. */
export function languageOf(masks: Iterable<number>, before: number): number {
  const words = new Uint32Array(1 << LANGUAGES.length);
  for (const mask of masks) words[mask] = (words[mask] ?? 0) + 1;
  return languageOfCounts(words, before);
}

/** The same where `words` has by mask the number of words. */
export function languageOfCounts(words: Uint32Array, before: number): number {
  const counts = new Uint32Array(LANGUAGES.length);
  for (let mask = 1; mask < words.length; mask++) {
    const count = words[mask] ?? 0;
    if (count === 0) continue;
    for (let position = 0, rest = mask; rest !== 0; position++, rest >>>= 1)
      if ((rest & 1) !== 0) counts[position] = (counts[position] ?? 0) + count;
  }
  let best = before;
  let most = counts[before] ?? 0;
  counts.forEach((count, position) => {
    if (count <= most) return;
    best = position;
    most = count;
  });
  return most >= DECISIVE_WORDS ? best : before;
}
