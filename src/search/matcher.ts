/** What a query asks of one of its phrases in one segment. */
import { PhraseMatcher } from './phrase-matcher.js';
import type { ResolvedPhrase } from './phrase-terms.js';
import type { PostingList, Segment } from './segment.js';
import { SymbolMatcher } from './symbol-matcher.js';

export interface Matcher {
  /** In tokens. */
  readonly length: number;
  /** The documents with at least one instance and how many they have. */
  hits(): PostingList;
  /** The number of instances in one document that `hits` names. */
  count(slot: number): number;
  /** The same for any document. */
  countIn(slot: number): number;
  /** The places of every instance in one document, in order; see near.ts. */
  positions(slot: number): number[];
}

export function matcherOf(segment: Segment, phrase: ResolvedPhrase): Matcher {
  return phrase.pattern === undefined
    ? new PhraseMatcher(segment, phrase)
    : new SymbolMatcher(segment, phrase, phrase.pattern);
}
