/**
 * A whole text index as buffers, for the disk cache, and back: first the table of its terms, then one
 * segment after another (segment-codec.ts). Everything comes back as the arrays that it was, so that
 * a start looks at no term and no document. The order of the alphabet is kept too: from it the tree of
 * terms is made many times faster than by adding one after another.
 */
import { decodeArrays, encodeArrays } from './array-codec.js';
import type { DocumentId } from './segment.js';
import { decodeSegment, encodeSegment } from './segment-codec.js';
import type { SegmentStore } from './segment-store.js';
import type { PackedTerms } from './term-table.js';

/**
 * Buffers of everything held, each made when its function is called, so that others can work in
 * between. Documents that changed since this call are left out, or all of a buffer's: then it is empty.
 * In the buffers a document has the id that `idInCache` gives it, its own unless given.
 */
export function encodeIndex(
  store: SegmentStore,
  idInCache: (id: DocumentId) => DocumentId = (id) => id,
): (() => Buffer)[] {
  store.freeze();
  const { terms, places, packed } = store.dictionary.pack();
  const segments = store.frozenSegments.map((segment) => () => {
    // One that was merged away does not learn of deletions, nor of terms that were given up.
    const isHeld = store.frozenSegments.includes(segment);
    return isHeld ? encodeSegment(segment, places, idInCache) : Buffer.alloc(0);
  });
  return [
    () => encodeArrays({ isTerms: true }, { ...packed, order: alphabetical(terms) }),
    ...segments,
  ];
}

const isTerms = (facts: unknown) => (facts as { isTerms?: boolean }).isTerms === true;

function alphabetical(terms: readonly string[]): Uint32Array {
  const order = Uint32Array.from(terms.keys());
  return order.sort((a, b) => ((terms[a] ?? '') < (terms[b] ?? '') ? -1 : 1));
}

/** Takes the buffers of `encodeIndex` back, in their order. To be closed, whatever became of it. */
export class IndexDecoder {
  readonly #store: SegmentStore;
  #terms = 0;
  readonly #onOrder: (order: number) => void;

  constructor(store: SegmentStore, onOrder: (order: number) => void) {
    this.#store = store;
    this.#onOrder = onOrder;
  }

  /**
   * The first buffer; false if it is damaged, of another version, or the index holds terms of its own.
   * Nothing is put or deleted until `close`.
   */
  takeTerms(buffer: Buffer): boolean {
    const { dictionary } = this.#store;
    const decoded = decodeArrays(buffer);
    if (decoded === undefined || !isTerms(decoded.facts)) return false;
    // The checksum vouches for what encodeIndex wrote.
    const packed = decoded.arrays as unknown as PackedTerms & { order: Uint32Array };
    if (!dictionary.adopt(packed, packed.order)) return false;
    this.#terms = packed.ends.length;
    return true;
  }

  /**
   * The ids that came with one of the others; nothing at all for what is damaged, of another version
   * or other columns, or holds a document held already.
   */
  take(buffer: Buffer): ArrayLike<DocumentId> | undefined {
    const decoded = decodeSegment(buffer, this.#store.layout);
    if (decoded === undefined) return undefined;
    const { segment, totals } = decoded;
    if ((segment.parts.terms.at(-1) ?? 0) >= this.#terms) return undefined;
    if (!this.#store.adopt(segment, totals.tokens)) return undefined;
    this.#onOrder(totals.lastOrder);
    return segment.ids;
  }

  /** `isWhole`: all documents that were encoded are held; else some terms may have lost theirs. */
  close(isWhole: boolean): void {
    if (this.#terms > 0 && !isWhole) this.#store.giveUpUnusedTerms();
    this.#terms = 0;
  }
}
