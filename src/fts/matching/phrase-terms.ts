/**
 * The terms of a phrase. They are looked up in the dictionary once for each query, and then converted to the
 * local term numbers of each segment. This file also has the postings of a phrase of one term.
 */
import type { Phrase, SymbolPattern } from '../query/tree.js';
import { frequencyOf, type PostingList, type Segment } from '../segments/segment.js';
import type { Dictionary } from '../terms/dictionary.js';

/** A phrase whose terms are looked up. */
export interface ResolvedPhrase {
  /** Its number in the query. Equal phrases have the number of the first of them. */
  readonly number: number;
  /** For each token of the phrase, the dictionary's numbers of the terms that match there. */
  readonly termsAt: readonly (readonly number[])[];
  /** `^`: only at the beginning of a column. */
  readonly first: boolean;
  /** Mask of the columns that are searched, and their numbers. */
  readonly columns: number;
  readonly columnNumbers: readonly number[];
  readonly symbols: readonly SymbolPattern[];
  readonly cjkRun: string | undefined;
}

/** The terms of one segment that match one token of a phrase. */
export class TermSet {
  readonly locals: readonly number[];
  /** The only term; -1 if there are none or several. */
  readonly single: number;
  readonly hasSeveral: boolean;
  /** Whether the postings of a term may have a frequency of 0. */
  readonly hasZeros: boolean;
  readonly #termCount: number;
  /** 1 for each of several terms, by local number. Made when it is needed. */
  #members: Uint8Array | undefined;

  /** The terms of `segment` among the dictionary's `numbers`. */
  constructor(segment: Segment, numbers: readonly number[]) {
    const locals: number[] = [];
    for (const number of numbers) {
      const local = segment.localTerm(number);
      if (local >= 0) locals.push(local);
    }
    this.locals = locals;
    this.hasSeveral = locals.length > 1;
    this.single = this.hasSeveral ? -1 : (locals[0] ?? -1);
    this.hasZeros = locals.some((local) => segment.hasZeros(local));
    this.#termCount = segment.termCount;
  }

  /** Whether the set contains the term of this local number. */
  has(local: number): boolean {
    if (!this.hasSeveral) return local === this.single;
    this.#members ??= this.#markMembers();
    return this.#members[local] === 1;
  }

  #markMembers(): Uint8Array {
    const members = new Uint8Array(this.#termCount);
    for (const own of this.locals) members[own] = 1;
    return members;
  }
}

/** Looks up every term. `expand` returns the terms that begin with a prefix and may refuse too many. */
export function resolvePhrase(
  number: number,
  phrase: Phrase,
  dictionary: Dictionary,
  expand: (prefix: string) => readonly number[],
): ResolvedPhrase {
  const termsAt = phrase.terms.map(({ term, prefix, spellings }) => {
    if (prefix) return expand(term);
    const numbers = spellings?.map((spelling) => dictionary.find(spelling)) ?? [];
    const found = [dictionary.find(term), ...numbers].filter((number) => number !== undefined);
    return found.length < 2 ? found : [...new Set(found)];
  });
  const { first, columns, symbols = [], cjkRun } = phrase;
  return { number, termsAt, first, columns, columnNumbers: bitsOf(columns), symbols, cjkRun };
}

/** The numbers of the bits that are set. */
export function bitsOf(mask: number): number[] {
  const bits: number[] = [];
  for (let bit = 0; mask >>> bit > 0; bit++) if (((mask >>> bit) & 1) === 1) bits.push(bit);
  return bits;
}

/** The documents of the terms without frequencies of 0, deleted documents included. */
export function postingsOf(
  segment: Segment,
  { locals, single, hasSeveral, hasZeros }: TermSet,
): PostingList {
  const list = hasSeveral ? segment.union(locals) : segment.postings(single);
  if (!hasZeros) return list;
  const packed = new Uint32Array(list.length);
  let length = 0;
  for (let i = 0; i < list.length; i++) {
    const entry = list.packed[i] ?? 0;
    packed[length] = entry;
    if (frequencyOf(entry) > 0) length++;
  }
  return { packed, length };
}
