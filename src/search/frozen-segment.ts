/**
 * A segment packed into typed arrays: postings of all terms in one array, token numbers counted
 * from 0 in the order of the dictionary's numbers, in 16 bits where they fit. Nothing in it changes
 * but the marks of deleted documents. pack-segment.ts makes them.
 */
import type { DocumentId, Layout, Positions, PostingList, Segment } from './segment.js';

/** The arrays of a frozen segment; segment-codec.ts writes and reads them. */
export interface FrozenParts {
  readonly ids: readonly DocumentId[];
  readonly orders: Float64Array;
  readonly lengths: Uint32Array;
  readonly tokens: Uint16Array | Uint32Array;
  readonly starts: Uint32Array;
  /** The dictionary's number of each local term, ascending. */
  readonly terms: Uint32Array;
  /** Postings of local term t are `packed[offsets[t]]` up to `packed[offsets[t + 1]]`. */
  readonly offsets: Uint32Array;
  readonly packed: Uint32Array;
  readonly zeros: Uint8Array;
  /** See Positions in segment.ts; one start for each of `packed`. */
  readonly places: Uint16Array | Uint32Array;
  readonly placeStarts: Uint32Array;
}

export class FrozenSegment implements Segment {
  readonly layout: Layout;
  readonly parts: FrozenParts;
  readonly dead: Uint8Array;
  deadCount = 0;

  constructor(layout: Layout, parts: FrozenParts) {
    this.layout = layout;
    this.parts = parts;
    this.dead = new Uint8Array(parts.ids.length);
  }

  get positions(): Positions {
    const { places, placeStarts: starts, offsets } = this.parts;
    return { places, starts, first: (local) => offsets[local] ?? 0 };
  }

  get size(): number {
    return this.parts.ids.length;
  }
  get ids(): readonly DocumentId[] {
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
