/**
 * Finds a phrase with symbols as typed (`C++`, `follow-up tools`) in one segment. Its words stand side
 * by side, as in any phrase, and every chunk with symbols stands in the text as it was typed.
 */

import type { SymbolPattern } from '../query/tree.js';
import { intersectAll } from '../segments/posting-lists.js';
import {
  columnTokens,
  DETAIL_BITS,
  NO_POSTINGS,
  type PostingList,
  posting,
  type Segment,
} from '../segments/segment.js';
import { findPattern } from '../tokenizing/symbols.js';
import type { Matcher } from './matcher.js';
import { type PositionList, positionOf } from './near.js';
import { hasTerm, type ResolvedPhrase, TermSet } from './phrase-terms.js';

export class SymbolMatcher implements Matcher {
  readonly #segment: Segment;
  readonly #patterns: readonly SymbolPattern[];
  readonly #terms: readonly TermSet[];
  readonly #columns: readonly number[];

  /** `phrase` has at least one symbol pattern. */
  constructor(segment: Segment, phrase: ResolvedPhrase) {
    this.#segment = segment;
    this.#patterns = phrase.symbols;
    this.#terms = phrase.termsAt.map((numbers) => new TermSet(segment, numbers));
    this.#columns = phrase.columnNumbers;
  }

  get length(): number {
    return this.#terms.length;
  }

  hits(): PostingList {
    if (this.#cannotMatch()) return NO_POSTINGS;
    const packed = new Uint32Array(this.#segment.size);
    let length = 0;
    for (const slot of this.#candidates()) {
      if (this.#segment.dead[slot] === 1) continue;
      const count = this.count(slot);
      if (count > 0) packed[length++] = posting(slot, count, this.#segment.lengths[slot] ?? 0);
    }
    return { packed: packed.subarray(0, length), length };
  }

  count(slot: number): number {
    return this.#find(slot).length;
  }

  countIn(slot: number): number {
    return this.#cannotMatch() ? 0 : this.count(slot);
  }

  /** None for a phrase of symbols alone: positions count words. */
  addPositions(slot: number, into: PositionList): void {
    if (this.length === 0 || this.#cannotMatch()) return;
    const document = this.#documentStart(slot);
    for (const word of this.#find(slot)) {
      const start = document + word;
      for (const column of this.#columns) {
        const { from, to } = columnTokens(this.#segment, slot, column);
        if (start >= from && start < to) into.push(positionOf(column, start - from));
      }
    }
  }

  #cannotMatch(): boolean {
    return this.#terms.some(({ locals }) => locals.length === 0);
  }

  /** Documents that contain all words; all documents for a phrase of symbols alone. */
  *#candidates(): Iterable<number> {
    if (this.#terms.length === 0) {
      for (let slot = 0; slot < this.#segment.size; slot++) yield slot;
      return;
    }
    const lists = this.#terms.map(({ locals }) => this.#segment.union(locals));
    const { packed, length } = intersectAll(lists);
    for (let i = 0; i < length; i++) yield (packed[i] ?? 0) >>> DETAIL_BITS;
  }

  #documentStart(slot: number): number {
    return columnTokens(this.#segment, slot, 0).from;
  }

  /** Numbers of the words of a document at which the whole phrase begins, ascending. */
  #find(slot: number): number[] {
    const [lead, ...others] = this.#patterns;
    if (lead === undefined) return [];
    let starts = this.#startsOf(slot, lead).filter((word) => this.#hasWordsAt(slot, word));
    for (const pattern of others) {
      if (starts.length === 0) break;
      const found = new Set(this.#startsOf(slot, pattern));
      starts = starts.filter((word) => found.has(word));
    }
    return starts;
  }

  /** Where the phrase would begin, for each instance of one of its patterns in a document. */
  #startsOf(slot: number, { bytes, word: offset }: SymbolPattern): number[] {
    const { tokens } = this.#segment;
    const document = this.#documentStart(slot);
    const starts: number[] = [];
    findPattern(
      this.#segment,
      slot,
      bytes,
      (word, n) => hasTerm(this.#terms[offset + n] as TermSet, tokens[document + word] ?? -1),
      (word) => {
        if (word >= offset) starts.push(word - offset);
      },
    );
    return starts;
  }

  /** Whether all words of the phrase stand at word `first` of a document, within one column. */
  #hasWordsAt(slot: number, first: number): boolean {
    const { tokens } = this.#segment;
    const start = this.#documentStart(slot) + first;
    for (let i = 0; i < this.#terms.length; i++)
      if (!hasTerm(this.#terms[i] as TermSet, tokens[start + i] ?? -1)) return false;
    if (this.#terms.length === 0) return true;
    return this.#columns.some((column) => {
      const { from, to } = columnTokens(this.#segment, slot, column);
      return start >= from && start + this.#terms.length <= to;
    });
  }
}
