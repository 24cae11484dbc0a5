/**
 * The terms of a phrase: looked up in the dictionary once for a query, translated into a segment's
 * own numbers for each segment, and their postings for a phrase of a single place.
 */
import type { Dictionary } from './dictionary.js';
import type { Phrase } from './query-tree.js';
import {
  FREQUENCY_BITS,
  MAX_FREQUENCY,
  MAX_SLOTS,
  type PostingList,
  type Segment,
} from './segment.js';

/** A phrase whose terms are looked up: for each place, the dictionary numbers that may stand there. */
export interface ResolvedPhrase {
  readonly places: readonly (readonly number[])[];
  readonly first: boolean;
  /** Mask of the columns it may stand in, and their numbers. */
  readonly columns: number;
  readonly columnNumbers: readonly number[];
  readonly pattern: Uint8Array | undefined;
  readonly run: string | undefined;
}

/** What one place of a phrase accepts in one segment: a single term, or those marked. */
export interface Acceptor {
  readonly locals: readonly number[];
  readonly single: number;
  readonly marks: Uint8Array | undefined;
}

/** Looks every term up; `expand` gives the numbers behind a prefix and may refuse too many. */
export function resolvePhrase(
  phrase: Phrase,
  dictionary: Dictionary,
  expand: (prefix: string) => readonly number[],
): ResolvedPhrase {
  const places = phrase.terms.map(({ term, prefix, spellings }) => {
    if (prefix) return expand(term);
    const numbers = [term, ...(spellings ?? [])].map((spelling) => dictionary.find(spelling));
    return [...new Set(numbers.filter((number) => number !== undefined))];
  });
  const { first, columns, pattern, run } = phrase;
  return { places, first, columns, columnNumbers: bitsOf(columns), pattern, run };
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
  // Many numbers: one pass over the segment's terms instead of a search for each.
  const wanted = new Set(numbers);
  for (let local = 0; local < segment.termCount; local++) {
    const number = segment.globalTerm(local);
    if (wanted.has(number) && segment.localTerm(number) >= 0) locals.push(local);
  }
  return locals;
}

/** The segment's own numbers for what may stand at one place. */
export function acceptorOf(segment: Segment, numbers: readonly number[]): Acceptor {
  const locals = localNumbers(segment, numbers);
  if (locals.length < 2) return { locals, single: locals[0] ?? -1, marks: undefined };
  const marks = new Uint8Array(segment.termCount);
  for (const local of locals) marks[local] = 1;
  return { locals, single: -1, marks };
}

/** Postings without deleted documents and without those that have the term in other columns only. */
export function livePostings(segment: Segment, local: number): PostingList {
  const list = segment.postings(local);
  if (segment.deadCount === 0 && !segment.hasZeros(local)) return list;
  const packed = new Uint32Array(list.length);
  let length = 0;
  for (let i = 0; i < list.length; i++) {
    const entry = list.packed[i] ?? 0;
    if ((entry & MAX_FREQUENCY) > 0 && segment.dead[entry >>> FREQUENCY_BITS] !== 1)
      packed[length++] = entry;
  }
  return { packed, length };
}

/** The union over many terms, frequencies added up. */
export function unionPostings(segment: Segment, locals: readonly number[]): PostingList {
  const sums = new Float64Array(MAX_SLOTS);
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
