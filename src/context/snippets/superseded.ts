/**
 * Determines which of two passages about the same subject is outdated: the earlier one, if the later one
 * says that something changed, or has other values for the same subject.
 */
import { functionWordMask, LANGUAGES, languageOf } from '../../recall/languages.js';
import { stemOf } from '../../recall/vocabulary.js';
import { wordsOf } from '../../recall/words.js';

export interface DatedPassage {
  readonly text: string;
  /** Epoch milliseconds. */
  readonly time: number;
  readonly role: string;
}

/** Shares of the smaller passage's stems that the other must have, so that both are about the same subject. */
const SHARED_STEMS = 0.5;
const MANY_SHARED_STEMS = 0.7;
/** Passages with fewer stems would match by chance. */
const MIN_STEMS = 3;
const VALUE = /^\p{N}+$/u;

interface Content {
  readonly stems: ReadonlySet<string>;
  readonly values: ReadonlySet<string>;
  readonly saysChange: boolean;
}

/** By passage: index of the latest passage that supersedes it; `undefined` if there is none. */
export function supersededBy(passages: readonly DatedPassage[]): (number | undefined)[] {
  const contents = passages.map(({ text }) => contentOf(text));
  const order = [...passages.keys()].sort(
    (a, b) => (passages[b]?.time ?? 0) - (passages[a]?.time ?? 0) || b - a,
  );
  return passages.map((passage, position) =>
    order.find((other) => {
      const later = passages[other];
      if (later === undefined || later.time <= passage.time) return false;
      if (later.role === 'assistant') return false; // an assistant repeats what people decide
      return supersedes(contents[other], contents[position]);
    }),
  );
}

function supersedes(later: Content | undefined, earlier: Content | undefined): boolean {
  if (later === undefined || earlier === undefined) return false;
  const least = Math.min(later.stems.size, earlier.stems.size);
  if (least < MIN_STEMS) return false;
  let shared = 0;
  for (const stem of earlier.stems) if (later.stems.has(stem)) shared += 1;
  if (later.saysChange) return shared / least >= SHARED_STEMS;
  const hasOtherValue =
    earlier.values.size > 0 &&
    later.values.size > 0 &&
    [...earlier.values].every((value) => !later.values.has(value));
  return hasOtherValue && shared / least >= MANY_SHARED_STEMS;
}

function contentOf(text: string): Content {
  const words = wordsOf(text);
  const language = languageOf(words.map(functionWordMask), 0);
  const values = new Set(words.filter((word) => VALUE.test(word)));
  const stems = new Set<string>();
  for (const word of words) {
    const stem = values.has(word) ? undefined : stemOf(word, language);
    if (stem !== undefined) stems.add(stem);
  }
  const isChange = LANGUAGES[language]?.cues.isChange;
  return { stems, values, saysChange: isChange?.test(text.toLowerCase()) === true };
}
