/**
 * A segment packed in typed arrays. The postings of all terms are in one array. The segment has its own term
 * numbers: from 0, in the order of the dictionary's numbers, with 16 bits if that is enough. After packing, only
 * the marks of deleted documents change. pack-segment.ts creates frozen segments.
 */
import { addToUnion, takeUnion } from './posting-lists.js';
import {
  columnTokens,
  type DocumentId,
  frequencyOf,
  type Layout,
  MAX_FREQUENCY,
  type PositionIndex,
  type PostingList,
  type Segment,
  tokensBefore,
} from './segment.js';

/** The arrays of a frozen segment, as segment-codec.ts stores them. */
export interface FrozenParts
  extends Pick<
    Segment,
    'ids' | 'orders' | 'lengths' | 'tokens' | 'starts' | 'symbols' | 'symbolStarts'
  > {
  /** The dictionary's number of each local term, ascending. */
  readonly terms: Uint32Array;
  /** The postings of local term t are `packed[offsets[t]]` up to `packed[offsets[t + 1]]`. */
  readonly offsets: Uint32Array;
  readonly packed: Uint32Array;
  /** 1 for a term that occurs in other columns too, so that a frequency may be 0. */
  readonly zeros: Uint8Array;
}

/** The narrowest array for numbers below `bound`. */
export const narrowest = (length: number, bound: number) =>
  bound <= 0x10000 ? new Uint16Array(length) : new Uint32Array(length);

/** Built from the documents' tokens. `undefined` if a frequency is limited. */
function positionIndexOf(segment: FrozenSegment): PositionIndex | undefined {
  const { tokens, packed, offsets } = segment.parts;
  const { count, defaults } = segment.layout;
  let longest = 0;
  for (let slot = 0; slot < segment.size; slot++)
    longest = Math.max(longest, tokensBefore(segment, slot + 1) - tokensBefore(segment, slot));
  const starts = new Uint32Array(packed.length + 1);
  let total = 0;
  for (let i = 0; i < packed.length; i++) {
    starts[i] = total;
    const frequency = frequencyOf(packed[i] ?? 0);
    if (frequency === MAX_FREQUENCY) return undefined;
    total += frequency;
  }
  starts[packed.length] = total;
  const positions = narrowest(total, longest);
  const next = offsets.map((offset) => starts[offset] ?? 0);
  for (let slot = 0; slot < segment.size; slot++) {
    const base = tokensBefore(segment, slot);
    for (let column = 0; column < count; column++) {
      if (((defaults >>> column) & 1) === 0) continue;
      const { from, to } = columnTokens(segment, slot, column);
      for (let i = from; i < to; i++) {
        const term = tokens[i] ?? 0;
        const at = next[term] ?? 0;
        positions[at] = i - base;
        next[term] = at + 1;
      }
    }
  }
  return { positions, starts, firstPosting: (local) => offsets[local] ?? 0 };
}

/** The number of bits that are set. */
function onesIn(bits: number): number {
  const pairs = bits - ((bits >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/**
 * For every 32 numbers of the dictionary, side by side: a bit for each that is among the ascending
 * `terms`, and the number of terms before them. A binary search would miss the processor's cache at most steps.
 */
function termIndexOf(terms: Uint32Array): Uint32Array {
  const index = new Uint32Array(2 * (((terms.at(-1) ?? 0) >>> 5) + 1));
  for (let local = terms.length - 1; local >= 0; local--) {
    const term = terms[local] ?? 0;
    const at = 2 * (term >>> 5);
    index[at] = (index[at] ?? 0) | (1 << (term & 31));
    index[at + 1] = local;
  }
  return index;
}

/** A typed array if all ids are numbers. */
export const packedIds = (ids: readonly DocumentId[]) =>
  ids.every((id) => typeof id === 'number') ? Float64Array.from(ids) : ids;

export class FrozenSegment implements Segment {
  readonly layout: Layout;
  readonly parts: FrozenParts;
  readonly size: number;
  readonly termCount: number;
  readonly ids: ArrayLike<DocumentId>;
  readonly orders: Float64Array;
  readonly lengths: Uint32Array;
  readonly tokens: Uint16Array | Uint32Array;
  readonly starts: Uint32Array;
  readonly symbols: Uint8Array;
  readonly symbolStarts: Uint32Array;
  readonly globals: Uint32Array;
  readonly dead: Uint8Array;
  readonly deadSlots: number[] = [];
  #termIndex: Uint32Array | undefined;
  #positions: { readonly index: PositionIndex | undefined } | undefined;

  constructor(layout: Layout, parts: FrozenParts) {
    this.layout = layout;
    this.parts = parts;
    ({ ids: this.ids, orders: this.orders, lengths: this.lengths, terms: this.globals } = parts);
    ({ tokens: this.tokens, starts: this.starts } = parts);
    ({ symbols: this.symbols, symbolStarts: this.symbolStarts } = parts);
    this.size = parts.ids.length;
    this.termCount = parts.terms.length;
    this.dead = new Uint8Array(this.size);
  }

  /** Built when the first phrase needs it: single words, which most queries are, do not. */
  get positions(): PositionIndex | undefined {
    this.#positions ??= { index: positionIndexOf(this) };
    return this.#positions.index;
  }

  localTerm(term: number): number {
    this.#termIndex ??= termIndexOf(this.parts.terms);
    const at = 2 * (term >>> 5);
    const bits = this.#termIndex[at] ?? 0;
    const bit = 1 << (term & 31);
    return (bits & bit) === 0 ? -1 : (this.#termIndex[at + 1] ?? 0) + onesIn(bits & (bit - 1));
  }

  postings(local: number): PostingList {
    const from = this.parts.offsets[local] ?? 0;
    const to = this.parts.offsets[local + 1] ?? 0;
    return { packed: this.parts.packed.subarray(from, to), length: to - from };
  }

  union(locals: readonly number[]): PostingList {
    const [only = 0] = locals;
    if (locals.length === 1) return this.postings(only);
    const { packed, offsets } = this.parts;
    for (const local of locals)
      addToUnion(packed, offsets[local] as number, offsets[local + 1] as number);
    return takeUnion();
  }

  hasZeros(local: number): boolean {
    return this.parts.zeros[local] === 1;
  }
}
