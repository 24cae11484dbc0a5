/**
 * Encodes a whole text index as buffers for the disk cache, and decodes them: first the table of its
 * terms, then each segment (segment-codec.ts). The arrays are stored as they are, so that a start
 * need not process each term and each document. The alphabetical order of the terms is stored too, because
 * building the term tree from it is many times faster than inserting one term after another.
 */

import { decodeArrays, encodeArrays } from '../../base/arrays/array-codec.js';
import { runToCompletion } from '../../base/async/time-slice.js';
import type { PackedTerms } from '../terms/term-table.js';
import { alphabeticalOrder } from '../terms/term-tree.js';
import type { DocumentId } from './segment.js';
import { decodeSegment, encodeSegment } from './segment-codec.js';
import type { SegmentStore } from './segment-store.js';

/**
 * One function per buffer, which encodes it when it is called, so that the caller can yield in between.
 * A document that changes after this call may be missing, and a buffer whose segment no longer exists is
 * empty. `idInCache` returns the id that a document has in the buffers (default: its own).
 */
export function encodeIndex(
  store: SegmentStore,
  idInCache: (id: DocumentId) => DocumentId = (id) => id,
): (() => Buffer)[] {
  store.freeze();
  const { terms, indexes, packed } = store.dictionary.pack();
  const segments = store.frozenSegments.map((segment) => () => {
    // A segment that was merged meanwhile no longer gets deletions and dropped terms.
    const exists = store.frozenSegments.includes(segment);
    return exists ? encodeSegment(segment, indexes, idInCache) : Buffer.alloc(0);
  });
  const encodeTerms = () => {
    const order = runToCompletion(alphabeticalOrder(terms));
    return encodeArrays({ isTerms: true }, { ...packed, order });
  };
  return [encodeTerms, ...segments];
}

/** Decodes the buffers of `encodeIndex` in their order. Call `close` in every case. */
export class IndexDecoder {
  readonly #store: SegmentStore;
  #termCount = 0;

  constructor(store: SegmentStore) {
    this.#store = store;
  }

  /**
   * Decodes the first buffer. False if it is damaged, of another version, or the index has terms already.
   * The caller must not put or delete documents until `close`.
   */
  decodeTerms(buffer: Buffer): boolean {
    const { dictionary } = this.#store;
    const decoded = decodeArrays(buffer);
    if (decoded === undefined || !(decoded.meta as { isTerms?: boolean }).isTerms) return false;
    // The checksum proves that these are the arrays that encodeIndex wrote.
    const packed = decoded.arrays as unknown as PackedTerms & { order: Uint32Array };
    if (!dictionary.adopt(packed, packed.order)) return false;
    this.#termCount = packed.ends.length;
    return true;
  }

  /**
   * Decodes one of the other buffers and returns the ids of its documents. `undefined`, and nothing is
   * added, if it is damaged, of another version or other columns, or has a document that is in the index.
   */
  decodeSegment(buffer: Buffer): ArrayLike<DocumentId> | undefined {
    const decoded = this.#decoded(buffer);
    return decoded && this.#store.adopt(decoded.segment, decoded.totals)
      ? decoded.segment.ids
      : undefined;
  }

  /** Like `decodeSegment`, but adds nothing, to check a buffer. */
  documentsIn(buffer: Buffer): ArrayLike<DocumentId> | undefined {
    return this.#decoded(buffer)?.segment.ids;
  }

  #decoded(buffer: Buffer) {
    const decoded = decodeSegment(buffer, this.#store.layout);
    return (decoded?.segment.parts.terms.at(-1) ?? 0) >= this.#termCount ? undefined : decoded;
  }

  /** `isComplete`: all encoded documents were decoded. Otherwise terms without documents are dropped. */
  close(isComplete: boolean): void {
    if (this.#termCount > 0 && !isComplete) this.#store.dropUnusedTerms();
    this.#termCount = 0;
  }
}
