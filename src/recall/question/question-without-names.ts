/**
 * Rewords a question for its vector. Messages seldom contain the name of their speaker, so a name in the
 * question makes its vector less similar to their vectors (docs/RECALL-TUNING.md has the measurement).
 */
import { wordsOf } from '../words/words.js';

/** A capitalized word, with `'s`. */
const CAPITALIZED =
  /(?<![\p{L}\p{M}\p{N}])(\p{Lu}[\p{L}\p{M}\p{N}]*)(?:['’]s)?(?![\p{L}\p{M}\p{N}])/gu;
/** Punctuation that stands alone after names were left out. */
const LONE_PUNCTUATION = /(?<=^|\s)[-.–]+(?=\s|$)/g;

/** The question, and the question without the names in `speakers` (words in lower case), if it has any. */
export function variantsOf(question: string, speakers: ReadonlySet<string>): string[] {
  const nameless = question
    .replace(CAPITALIZED, (text, word: string) =>
      speakers.has(wordsOf(word)[0] ?? '') ? '' : text,
    )
    .replace(LONE_PUNCTUATION, '')
    .replace(/\s+/g, ' ')
    .trim();
  return nameless === question.trim() || !/[\p{L}\p{N}]/u.test(nameless)
    ? [question]
    : [question, nameless];
}
