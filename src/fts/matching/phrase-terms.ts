/**
 * The terms of a phrase: looked up in the dictionary once per query, then translated into the local
 * term numbers of each segment. Also the postings of a phrase that is one term long.
 */
import type { Phrase, SymbolPattern } from '../query/tree.js';
import { withoutSlots } from '../segments/posting-lists.js';
import {
  FREQUENCY_BITS,
  MAX_FREQUENCY,
  type PostingList,
  type Segment,
} from '../segments/segment.js';
import type { Dictionary } from '../terms/dictionary.js';

/** A phrase whose terms are looked up. */
export interface ResolvedPhrase {
  /** For each token of the phrase, the dictionary's numbers of the terms that may stand there. */
  readonly termsAt: readonly (readonly number[])[];
  /** `^`: only at the beginning of a column. */
  readonly first: boolean;
  /** Mask of the columns that are searched, and their numbers. */
  readonly columns: number;
  readonly columnNumbers: readonly number[];
  readonly symbols: readonly SymbolPattern[];
  readonly cjkRun: string | undefined;
}

/** The terms of one segment that may stand at one token of a phrase. */
export interface TermSet {
  readonly locals: readonly number[];
  /** The only term; -1 if there are none or several. */
  readonly single: number;
  /** 1 for each of several terms, by local number. */
  readonly members: Uint8Array | undefined;
}

/** Seeking a slot in a list costs about as much as looking at so many entries. */
const SEEK_COST = 8;

/** Looks up every term. `expand` returns the terms that begin with a prefix and may refuse too many. */
export function resolvePhrase(
  phrase: Phrase,
  dictionary: Dictionary,
  expand: (prefix: string) => readonly number[],
): ResolvedPhrase {
  const termsAt = phrase.terms.map(({ term, prefix, spellings }) => {
    if (prefix) return expand(term);
    const numbers = [term, ...(spellings ?? [])].map((spelling) => dictionary.find(spelling));
    return [...new Set(numbers.filter((number) => number !== undefined))];
  });
  const { first, columns, symbols = [], cjkRun } = phrase;
  return { termsAt, first, columns, columnNumbers: bitsOf(columns), symbols, cjkRun };
}

function bitsOf(mask: number): number[] {
  const bits: number[] = [];
  for (let bit = 0; mask >>> bit > 0; bit++) if (((mask >>> bit) & 1) === 1) bits.push(bit);
  return bits;
}

function localNumbers(segment: Segment, numbers: readonly number[]): number[] {
  const locals: number[] = [];
  if (numbers.length * 8 < segment.termCount) {
    for (const number of numbers) {
      const local = segment.localTerm(number);
      if (local >= 0) locals.push(local);
    }
    return locals;
  }
  // Many numbers: one pass over the segment's terms is faster than a search for each number.
  const wanted = new Set(numbers);
  for (let local = 0; local < segment.termCount; local++) {
    const number = segment.globalTerm(local);
    if (wanted.has(number) && segment.localTerm(number) >= 0) locals.push(local);
  }
  return locals;
}

/** The terms of `segment` among the dictionary's `numbers`. */
export function termSetOf(segment: Segment, numbers: readonly number[]): TermSet {
  const locals = localNumbers(segment, numbers);
  if (locals.length < 2) return { locals, single: locals[0] ?? -1, members: undefined };
  const members = new Uint8Array(segment.termCount);
  for (const local of locals) members[local] = 1;
  return { locals, single: -1, members };
}

/** Whether the set contains the term of this local number. */
export const hasTerm = ({ single, members }: TermSet, local: number) =>
  members === undefined ? local === single : members[local] === 1;

/** The postings of a term without deleted documents and without frequencies of 0. */
export function livePostings(segment: Segment, local: number): PostingList {
  const list = segment.postings(local);
  const { deadSlots } = segment;
  if (!segment.hasZeros(local)) {
    if (deadSlots.length === 0) return list;
    if (deadSlots.length * SEEK_COST < list.length) return withoutSlots(list, deadSlots);
  }
  const packed = new Uint32Array(list.length);
  let length = 0;
  for (let i = 0; i < list.length; i++) {
    const entry = list.packed[i] ?? 0;
    if ((entry & MAX_FREQUENCY) > 0 && segment.dead[entry >>> FREQUENCY_BITS] !== 1)
      packed[length++] = entry;
  }
  return { packed, length };
}

/** The union of the postings of several terms. The frequencies of a document are added. */
export function unionPostings(segment: Segment, locals: readonly number[]): PostingList {
  const sums = new Float64Array(segment.size);
  for (const local of locals) {
    const { packed, length } = segment.postings(local);
    for (let i = 0; i < length; i++) {
      const entry = packed[i] ?? 0;
      const slot = entry >>> FREQUENCY_BITS;
      sums[slot] = (sums[slot] ?? 0) + (entry & MAX_FREQUENCY);
    }
  }
  const packed = new Uint32Array(segment.size);
  let length = 0;
  for (let slot = 0; slot < segment.size; slot++) {
    const frequency = sums[slot] ?? 0;
    if (frequency === 0 || segment.dead[slot] === 1) continue;
    packed[length++] = (slot << FREQUENCY_BITS) | Math.min(frequency, MAX_FREQUENCY);
  }
  return { packed, length };
}
