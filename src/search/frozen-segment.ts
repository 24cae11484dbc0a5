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
  /**
   * See Positions in segment.ts: as many for each of `packed` as its frequency says, one after another.
   * None at all where a document is so long that a frequency may have been cut.
   */
  readonly places: Uint16Array | Uint32Array;
}

/** Where the places of each posting begin. */
function startsOf(packed: Uint32Array): Uint32Array {
  const starts = new Uint32Array(packed.length);
  let start = 0;
  for (let i = 0; i < packed.length; i++) {
    starts[i] = start;
    start += (packed[i] ?? 0) & MAX_FREQUENCY;
  }
  return starts;
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
  #positions: Positions | undefined;

  constructor(layout: Layout, parts: FrozenParts) {
    this.layout = layout;
    this.parts = parts;
    this.dead = new Uint8Array(parts.ids.length);
  }

  /** Made when the first phrase asks: single words, most of what is searched, never do. */
  get positions(): Positions | undefined {
    const { places, packed, offsets } = this.parts;
    if (places.length === 0) return undefined;
    this.#positions ??= {
      places,
      starts: startsOf(packed),
      first: (local) => offsets[local] ?? 0,
    };
    return this.#positions;
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
