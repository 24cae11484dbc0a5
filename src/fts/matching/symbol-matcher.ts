/**
 * Finds a phrase with symbols (`C++`, `follow-up tools`) in one segment. As in any phrase, the words must
 * follow each other. In addition, the text must contain every chunk with symbols exactly as it was typed.
 */

import { sharedWith } from '../../base/arrays/ascending.js';
import type { SymbolPattern } from '../query/tree.js';
import { intersectAll } from '../segments/posting-lists.js';
import { columnTokens, type PostingList, posting, tokensBefore } from '../segments/segment.js';
import { findPattern } from '../tokenizing/symbol-chunks.js';
import { LONG_PHRASE, Matcher } from './matcher.js';
import type { PositionList } from './near.js';

/** For a phrase with at least one symbol pattern. */
export class SymbolMatcher extends Matcher {
  /** Adds no positions for a phrase of symbols alone: positions count words. */
  protected read(slot: number, into?: PositionList): number {
    const document = tokensBefore(this.segment, slot);
    const words = this.#find(slot);
    if (into === undefined || this.length === 0) return words.length;
    for (const word of words) {
      const position = this.positionAt(slot, document + word);
      if (position !== undefined) into.push(position);
    }
    return words.length;
  }

  /** All documents for a phrase of symbols alone. */
  protected override candidates(): PostingList {
    const lists = this.terms.map(({ locals }) => this.segment.union(locals));
    if (lists.length > 0) return intersectAll(lists);
    const { size } = this.segment;
    const packed = new Uint32Array(size);
    for (let slot = 0; slot < size; slot++) packed[slot] = posting(slot, 0, 0);
    return { packed, length: size };
  }

  /** Numbers of the words of a document at which the whole phrase begins, ascending. */
  #find(slot: number): number[] {
    const [lead, ...others] = this.symbols as [SymbolPattern, ...SymbolPattern[]];
    const document = tokensBefore(this.segment, slot);
    const isPhraseAt = (start: number) =>
      this.hasTermsAt(start) && this.positionAt(slot, start) !== undefined;
    let starts = this.#startsOf(slot, lead);
    if (this.length > LONG_PHRASE) {
      const found: number[] = [];
      for (const column of this.columns) {
        const { from, to } = columnTokens(this.segment, slot, column);
        this.forEachStart(from, to, (start) => found.push(start - document));
      }
      starts = sharedWith(starts, found);
    } else if (this.length > 0) starts = starts.filter((word) => isPhraseAt(document + word));
    for (const pattern of others) {
      if (starts.length === 0) break;
      starts = sharedWith(starts, this.#startsOf(slot, pattern));
    }
    return starts;
  }

  /** Where the phrase would begin, for each instance of one of its patterns in a document, ascending. */
  #startsOf(slot: number, { pattern, words: before }: SymbolPattern): number[] {
    const starts: number[] = [];
    findPattern(this.segment, slot, pattern, (words) => {
      if (words >= before) starts.push(words - before);
    });
    return starts;
  }
}
