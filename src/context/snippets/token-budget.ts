/**
 * Selects the passages that fit into a budget of tokens. The best are whole, the others are excerpts. If the answer
 * of the question is in many places, all are excerpts.
 */
import type { RecalledHit } from '../../search/recall/recall-hits.js';

/** Number of passages that are returned whole; the others are excerpts around the words of the question. */
const WHOLE_PASSAGES = 5;
/** Length of an excerpt. If not even the first fits, it is made shorter. */
const EXCERPT_WORDS = 60;
/** The same for a question whose answer is in many places. Such a question gets only excerpts. */
const BROAD_EXCERPT_WORDS = 40;
/** With less budget left, no further passage is tried. */
const MIN_PASSAGE_TOKENS = 8;
/** The words of a shorter excerpt would not be understood. */
const MIN_EXCERPT_WORDS = 5;

export interface SelectedPassage {
  readonly hit: RecalledHit;
  readonly passage: string;
  /** The passage, or an excerpt of it. */
  readonly text: string;
  readonly tokens: number;
}

interface Budget {
  readonly maxTokens: number;
  readonly count: (text: string) => number;
  /** Whether the answer of the question is in many places. */
  readonly isBroad: boolean;
  readonly excerpt: (hit: RecalledHit, words: number) => string;
}

/** The passages that fit, in their order. A later, shorter passage may fit after one that does not. */
export function withinBudget(
  hits: readonly RecalledHit[],
  { maxTokens, count, isBroad, excerpt }: Budget,
): { taken: SelectedPassage[]; omitted: number } {
  const whole = isBroad ? 0 : WHOLE_PASSAGES;
  const excerptWords = isBroad ? BROAD_EXCERPT_WORDS : EXCERPT_WORDS;
  const taken: SelectedPassage[] = [];
  const seen = new Set<string>();
  let room = maxTokens;
  let omitted = 0;
  for (const hit of hits) {
    const passage = hit.content.slice(hit.passage.start, hit.passage.end).trim();
    if (passage === '' || seen.has(passage)) continue;
    seen.add(passage);
    const fitting = (text: string) => {
      const tokens = count(text);
      return tokens > room ? undefined : { hit, passage, text, tokens };
    };
    let found = taken.length < whole && room >= MIN_PASSAGE_TOKENS ? fitting(passage) : undefined;
    let words = room < MIN_PASSAGE_TOKENS ? 0 : excerptWords;
    while (found === undefined && words >= MIN_EXCERPT_WORDS) {
      found = fitting(excerpt(hit, words));
      words = taken.length === 0 ? Math.floor(words / 2) : 0;
    }
    if (found === undefined) {
      omitted += 1;
      continue;
    }
    room -= found.tokens;
    taken.push(found);
  }
  return { taken, omitted };
}
