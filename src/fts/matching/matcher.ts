/**
 * Finds one phrase of a query in one segment. This base class reads the tokens of candidate documents, which
 * works for every phrase; its subclasses have faster ways. segment-query.ts chooses the class.
 */
import { Pattern } from '../../base/arrays/pattern.js';
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
import { type PositionList, positionOf } from './near.js';
import { type ResolvedPhrase, TermSet } from './phrase-terms.js';

/** The instances of a phrase of more words are not compared with it one by one, because they may overlap. */
export const LONG_PHRASE = 32;

export abstract class Matcher {
  protected readonly segment: Segment;
  protected readonly columns: readonly number[];
  protected readonly terms: readonly TermSet[];
  /** False if the segment lacks a term, or there is nothing to find or no column to search. */
  protected readonly canMatch: boolean;
  protected readonly first: boolean;
  protected readonly symbols: readonly SymbolPattern[];
  /** The terms before the first token at which several match. Most phrases are found by their postings alone. */
  #lead: Pattern | undefined;

  constructor(segment: Segment, { termsAt, columnNumbers, symbols, first }: ResolvedPhrase) {
    this.segment = segment;
    this.columns = columnNumbers;
    this.terms = termsAt.map((numbers) => new TermSet(segment, numbers));
    this.first = first;
    this.symbols = symbols;
    this.canMatch =
      columnNumbers.length > 0 &&
      termsAt.length + symbols.length > 0 &&
      this.terms.every(({ locals }) => locals.length > 0);
  }

  /** Length of the phrase in tokens. */
  get length(): number {
    return this.terms.length;
  }

  /** The documents that contain the phrase, deleted ones too, with the number of its instances in each. */
  hits(): PostingList {
    const { packed: candidates, length: candidateCount } = this.candidates();
    const packed = new Uint32Array(candidateCount);
    let length = 0;
    for (let i = 0; i < candidateCount; i++) {
      const slot = (candidates[i] ?? 0) >>> DETAIL_BITS;
      if (this.segment.dead[slot] === 1) continue;
      const count = this.count(slot);
      if (count > 0) packed[length++] = posting(slot, count, this.segment.lengths[slot] ?? 0);
    }
    return { packed, length };
  }

  /** The number of instances in a document. */
  count(slot: number): number {
    return this.canMatch ? this.read(slot) : 0;
  }

  /** Adds the positions of all instances in a document, ascending, as near.ts encodes them. */
  addPositions(slot: number, into: PositionList): void {
    if (this.canMatch) this.read(slot, into);
  }

  /** Counts the instances in a document that may have some, and adds their positions to `into`. */
  protected abstract read(slot: number, into?: PositionList): number;

  /** Documents that contain all terms. */
  protected candidates(): PostingList {
    if (!this.canMatch) return NO_POSTINGS;
    // A prefix may match thousands of terms. The single terms alone exclude most documents.
    const single = this.terms.filter(({ hasSeveral }) => !hasSeveral);
    const chosen = single.length > 0 ? single : this.terms;
    return intersectAll(chosen.map(({ locals }) => this.segment.union(locals)));
  }

  /** Calls `found` with the first token of each instance of the terms in a column, which has `from` to `to`. */
  protected forEachStart(from: number, to: number, found: (start: number) => void): void {
    const { tokens } = this.segment;
    this.#lead ??= this.#leadOfTerms();
    const lead = this.#lead;
    const { length: known } = lead.numbers;
    const end = this.first ? Math.min(from + known, to) : to;
    let matched = 0;
    for (let at = from; at <= end; at++) {
      const start = at - known;
      if (matched === known && start + this.length <= to && this.hasTermsAt(start, known))
        found(start);
      matched = lead.next(matched, tokens[at] ?? -1);
    }
  }

  #leadOfTerms(): Pattern {
    const several = this.terms.findIndex(({ hasSeveral }) => hasSeveral);
    const lead = several < 0 ? this.terms : this.terms.slice(0, several);
    return new Pattern(lead.map(({ single }) => single));
  }

  /**
   * Whether the terms follow one another from token `start` of the segment on. The first `known` terms are
   * not checked.
   */
  protected hasTermsAt(start: number, known = 0): boolean {
    const { tokens } = this.segment;
    for (let i = known; i < this.terms.length; i++)
      if (!this.terms[i]?.has(tokens[start + i] ?? -1)) return false;
    return true;
  }

  /**
   * The position of the phrase at a token of the segment; `undefined` if no column has the whole phrase
   * there.
   */
  protected positionAt(slot: number, start: number): number | undefined {
    for (const column of this.columns) {
      const { from, to } = columnTokens(this.segment, slot, column);
      if (start >= from && start + this.length <= to) return positionOf(column, start - from);
    }
    return undefined;
  }
}
