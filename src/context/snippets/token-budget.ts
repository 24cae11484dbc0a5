/** Selects the passages that fit into a budget of tokens. The best are whole, the others are excerpts. */
import type { RecalledHit } from '../../search/recall/recall-hits.js';

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
  /** Number of passages that are returned whole if they fit. */
  readonly whole: number;
  readonly excerpt: (hit: RecalledHit, words: number) => string;
  /** Length of an excerpt. If not even the first fits, it is made shorter. */
  readonly excerptWords: number;
}

/** The passages that fit, in their order. A later, shorter passage may fit after one that does not. */
export function withinBudget(
  hits: readonly RecalledHit[],
  { maxTokens, count, whole, excerpt, excerptWords }: Budget,
): { taken: SelectedPassage[]; omitted: number } {
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
