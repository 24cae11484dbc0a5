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

/** The languages that have a word (lower case) as a function word, each as the bit of its position. */
export const languagesWith = (word: string): number => languagesOf.get(word) ?? 0;

/** The position in LANGUAGES of the language of `words` (lower case); `before` if they do not show it. */
export function languageOf(words: readonly string[], before: number): number {
  const masks = words.map(languagesWith);
  const counts = LANGUAGES.map((_, position) =>
    masks.reduce((sum, mask) => sum + ((mask >> position) & 1), 0),
  );
  return mostUsed(counts, before);
}

/** The same for `counts`: how many function words of each language there are. */
export function mostUsed(counts: ArrayLike<number>, before: number): number {
  let best = before;
  for (let position = 0; position < counts.length; position++)
    if ((counts[position] ?? 0) > (counts[best] ?? 0)) best = position;
  return (counts[best] ?? 0) >= DECISIVE_WORDS ? best : before;
}
