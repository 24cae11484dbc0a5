/**
 * A whole text index as buffers, for the disk cache, and back: first the list of its terms, then one
 * segment after another (segment-codec.ts). Terms are numbered at once and in their old order, so that
 * a segment comes back without a look at its tokens. The order of the alphabet is kept too: from it
 * the tree of terms is made many times faster than by adding one after another.
 */
import { crc32 } from 'node:zlib';
import type { Dictionary } from './dictionary.js';
import type { DocumentId } from './segment.js';
import { decodeSegment, encodeSegment, withNumbers } from './segment-codec.js';
import type { SegmentStore } from './segment-store.js';

/** Bytes of the JSON list; the checksum of all that follows stands before. */
const HEADER_BYTES = 8;
const ORDER_BYTES = 4;

/**
 * Buffers of everything held, each made when its function is called, so that others can work in
 * between. Documents that changed since this call are left out, or all of a buffer's: then it is empty.
 */
export function encodeIndex(store: SegmentStore): (() => Buffer)[] {
  store.freeze();
  const { terms, places } = termsOf(store.dictionary);
  const segments = store.frozenSegments.map((segment) => () => {
    // One that was merged away does not learn of deletions, nor of terms that were given up.
    const isHeld = store.frozenSegments.includes(segment);
    return isHeld ? encodeSegment(segment, places) : Buffer.alloc(0);
  });
  return [() => encodeTerms(terms), ...segments];
}

/** The terms in use by their numbers, and each number's place among them. */
function termsOf(dictionary: Dictionary): { terms: string[]; places: Uint32Array } {
  const terms: string[] = [];
  const places = new Uint32Array(dictionary.capacity);
  for (let number = 0; number < places.length; number++) {
    const term = dictionary.term(number);
    if (term === '') continue; // free
    places[number] = terms.length;
    terms.push(term);
  }
  return { terms, places };
}

function encodeTerms(terms: readonly string[]): Buffer {
  const order = Uint32Array.from(terms.keys());
  order.sort((a, b) => ((terms[a] ?? '') < (terms[b] ?? '') ? -1 : 1));
  const list = Buffer.from(JSON.stringify(terms));
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32LE(list.byteLength, 4);
  const bytes = Buffer.concat([header, list, Buffer.from(order.buffer)]);
  bytes.writeUInt32LE(crc32(bytes.subarray(4)), 0);
  return bytes;
}

function decodeTerms(buffer: Buffer): { terms: string[]; order: Uint32Array } | undefined {
  if (buffer.byteLength < HEADER_BYTES) return undefined;
  if (crc32(buffer.subarray(4)) !== buffer.readUInt32LE(0)) return undefined;
  const end = HEADER_BYTES + buffer.readUInt32LE(4);
  const terms: string[] = JSON.parse(buffer.toString('utf8', HEADER_BYTES, end));
  const order = new Uint32Array(Uint8Array.from(buffer.subarray(end)).buffer);
  return buffer.byteLength === end + ORDER_BYTES * terms.length ? { terms, order } : undefined;
}

/** Takes the buffers of `encodeIndex` back, in their order. To be closed, whatever became of it. */
export class IndexDecoder {
  readonly #store: SegmentStore;
  /** The dictionary's number by place in the list of terms; absent until the list came. */
  #numbers: Uint32Array | undefined;

  readonly #onOrder: (order: number) => void;

  constructor(store: SegmentStore, onOrder: (order: number) => void) {
    this.#store = store;
    this.#onOrder = onOrder;
  }

  /**
   * The ids that came with one buffer, for the caller to check: none for the list of terms, nothing
   * at all for what is damaged, of another version or other columns, or holds a document held already.
   */
  take(buffer: Buffer): readonly DocumentId[] | undefined {
    const { layout, dictionary } = this.#store;
    if (this.#numbers === undefined) {
      const found = decodeTerms(buffer);
      this.#numbers = found && dictionary.internAll(found.terms, found.order);
      // Held until all segments are here: a term that is given up meanwhile gives its number away.
      for (const number of this.#numbers ?? []) dictionary.retain(number);
      return found && [];
    }
    const decoded = decodeSegment(buffer, layout);
    if (decoded === undefined || decoded.greatestTerm >= this.#numbers.length) return undefined;
    const segment = withNumbers(decoded, layout, this.#numbers);
    if (!this.#store.adopt(segment)) return undefined;
    this.#onOrder(segment.orders.reduce((a, b) => Math.max(a, b), 0));
    return segment.ids;
  }

  /** Gives up the terms that no document has. */
  close(): void {
    const numbers = this.#numbers ?? [];
    this.#numbers = undefined;
    if (numbers.length === 0) return;
    this.#store.freeze(); // or terms of documents that came meanwhile would not be counted yet
    for (const number of numbers) this.#store.dictionary.release(number);
  }
}
