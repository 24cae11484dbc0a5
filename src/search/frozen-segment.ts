/**
 * A segment packed into typed arrays: postings of all terms in one array, token numbers counted
 * from 0 in the order of the dictionary's numbers, in 16 bits where they fit. Nothing in it changes
 * but the marks of deleted documents. pack-segment.ts makes them.
 */
import {
  type DocumentId,
  type Layout,
  MAX_FREQUENCY,
  type Positions,
  type PostingList,
  type Segment,
} from './segment.js';

/** The arrays of a frozen segment; segment-codec.ts writes and reads them. */
export interface FrozenParts {
  /** Numbers alone stand in a typed array. */
  readonly ids: readonly DocumentId[] | Float64Array;
  readonly orders: Float64Array;
  readonly lengths: Uint32Array;
  readonly tokens: Uint16Array | Uint32Array;
  readonly starts: Uint32Array;
  readonly symbols: Uint8Array;
  readonly symbolStarts: Uint32Array;
  /** The dictionary's number of each local term, ascending. */
  readonly terms: Uint32Array;
  /** Postings of local term t are `packed[offsets[t]]` up to `packed[offsets[t + 1]]`. */
  readonly offsets: Uint32Array;
  readonly packed: Uint32Array;
  /** 1 for a term that stands in other columns too, so that some frequency may be 0. */
  readonly zeros: Uint8Array;
}

/** An array for numbers of 0 up to, not including, `bound`. */
export const narrowest = (length: number, bound: number) =>
  bound <= 0x10000 ? new Uint16Array(length) : new Uint32Array(length);

/** Read off the documents' tokens. Nothing where one is so long that a frequency may have been cut. */
function positionsOf({ layout, parts, size }: FrozenSegment): Positions | undefined {
  const { tokens, starts: columns, packed, offsets } = parts;
  const { count, defaults } = layout;
  const baseOf = (slot: number) => columns[slot * (count + 1)] ?? 0;
  let longest = 0;
  for (let slot = 0; slot < size; slot++)
    longest = Math.max(longest, (columns[slot * (count + 1) + count] ?? 0) - baseOf(slot));
  if (longest >= MAX_FREQUENCY) return undefined;
  const starts = new Uint32Array(packed.length);
  let total = 0;
  for (let i = 0; i < packed.length; i++) {
    starts[i] = total;
    total += (packed[i] ?? 0) & MAX_FREQUENCY;
  }
  const places = narrowest(total, longest);
  const next = offsets.map((offset) => starts[offset] ?? 0);
  for (let slot = 0; slot < size; slot++) {
    const base = baseOf(slot);
    for (let column = 0; column < count; column++) {
      if (((defaults >>> column) & 1) === 0) continue;
      const to = columns[slot * (count + 1) + column + 1] ?? 0;
      for (let i = columns[slot * (count + 1) + column] ?? 0; i < to; i++) {
        const term = tokens[i] ?? 0;
        const place = next[term] ?? 0;
        places[place] = i - base;
        next[term] = place + 1;
      }
    }
  }
  return { places, starts, first: (local) => offsets[local] ?? 0 };
}

/** See FrozenParts. */
export function packedIds(ids: readonly DocumentId[]): FrozenParts['ids'] {
  return ids.every((id) => typeof id === 'number') ? Float64Array.from(ids) : ids;
}

export class FrozenSegment implements Segment {
  readonly layout: Layout;
  readonly parts: FrozenParts;
  readonly dead: Uint8Array;
  deadCount = 0;
  #positions: { readonly made: Positions | undefined } | undefined;

  constructor(layout: Layout, parts: FrozenParts) {
    this.layout = layout;
    this.parts = parts;
    this.dead = new Uint8Array(parts.ids.length);
  }

  /** Made when the first phrase asks: single words, most of what is searched, never do. */
  get positions(): Positions | undefined {
    this.#positions ??= { made: positionsOf(this) };
    return this.#positions.made;
  }

  get size(): number {
    return this.parts.ids.length;
  }
  get ids(): ArrayLike<DocumentId> {
    return this.parts.ids;
  }
  get orders(): Float64Array {
    return this.parts.orders;
  }
  get lengths(): Uint32Array {
    return this.parts.lengths;
  }
  get tokens(): Uint16Array | Uint32Array {
    return this.parts.tokens;
  }
  get starts(): Uint32Array {
    return this.parts.starts;
  }
  get symbols(): Uint8Array {
    return this.parts.symbols;
  }
  get symbolStarts(): Uint32Array {
    return this.parts.symbolStarts;
  }
  get globals(): Uint32Array {
    return this.parts.terms;
  }
  get termCount(): number {
    return this.parts.terms.length;
  }

  /** Bytes of the arrays. */
  get byteLength(): number {
    const { ids, ...arrays } = this.parts;
    return Object.values(arrays).reduce((sum, array) => sum + array.byteLength, ids.length * 8);
  }

  localTerm(term: number): number {
    const { terms } = this.parts;
    let low = 0;
    let high = terms.length - 1;
    while (low <= high) {
      const middle = (low + high) >>> 1;
      const found = terms[middle] ?? 0;
      if (found === term) return middle;
      if (found < term) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  }

  globalTerm(local: number): number {
    return this.parts.terms[local] ?? 0;
  }

  postings(local: number): PostingList {
    const from = this.parts.offsets[local] ?? 0;
    const to = this.parts.offsets[local + 1] ?? 0;
    return { packed: this.parts.packed.subarray(from, to), length: to - from };
  }

  hasZeros(local: number): boolean {
    return this.parts.zeros[local] === 1;
  }

  kill(slot: number): boolean {
    if (this.dead[slot] === 1) return false;
    this.dead[slot] = 1;
    this.deadCount++;
    return true;
  }
}
