/** Chooses how a phrase is matched: by its words alone, or also by the symbols between them. */
import type { Segment } from '../segments/segment.js';
import type { Matcher } from './matcher.js';
import { PhraseMatcher } from './phrase-matcher.js';
import type { ResolvedPhrase } from './phrase-terms.js';
import { SymbolMatcher } from './symbol-matcher.js';

export function createMatcher(segment: Segment, phrase: ResolvedPhrase): Matcher {
  return phrase.symbols.length === 0
    ? new PhraseMatcher(segment, phrase)
    : new SymbolMatcher(segment, phrase);
}
