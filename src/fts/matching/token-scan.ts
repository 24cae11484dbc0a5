/**
 * Finds the instances of a phrase by reading the tokens of a document. It is the fallback that
 * serves every phrase; position-walk.ts is faster where a segment has lists of positions.
 */
import type { Segment } from '../segments/segment.js';
import { hasTerm, type TermSet } from './phrase-terms.js';

export class TokenScan {
  readonly #segment: Segment;
  readonly #terms: readonly TermSet[];
  readonly #first: boolean;

  /** `first`: only at the first token of a column. */
  constructor(segment: Segment, terms: readonly TermSet[], first: boolean) {
    this.#segment = segment;
    this.#terms = terms;
    this.#first = first;
  }

  /** Counts the instances among the tokens of one column and appends their offsets in it to `offsets`. */
  count(from: number, to: number, offsets?: number[]): number {
    const { length } = this.#terms;
    const end = this.#first ? Math.min(from + 1, to - length + 1) : to - length + 1;
    const [lead] = this.#terms;
    if (lead === undefined) return 0;
    const { tokens } = this.#segment;
    let count = 0;
    for (let at = from; at < end; at++) {
      if (!hasTerm(lead, tokens[at] ?? -1) || !this.#continuesAt(at)) continue;
      count++;
      offsets?.push(at - from);
    }
    return count;
  }

  /** Whether the tokens after `start` are the second and later terms. */
  #continuesAt(start: number): boolean {
    const { tokens } = this.#segment;
    for (let i = 1; i < this.#terms.length; i++)
      if (!hasTerm(this.#terms[i] as TermSet, tokens[start + i] ?? -1)) return false;
    return true;
  }
}
