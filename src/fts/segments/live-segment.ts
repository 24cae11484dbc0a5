/**
 * The segment that receives every new or changed document. Its local term numbers are the dictionary's. The
 * time to add a document depends only on its length; a full array is replaced by one twice as long.
 * Postings are made when the first query or deletion needs them, so that a bulk load, whose documents are
 * packed before the first query, never makes them.
 */
import { withCapacity } from '../../base/arrays/typed-array.js';
import type { Dictionary } from '../terms/dictionary.js';
import { type DocumentTokenizer, TokenLists } from '../tokenizing/document-tokenizer.js';
import { unite } from './posting-lists.js';
import {
  columnTokens,
  DETAIL_BITS,
  type DocumentId,
  frequencyOf,
  type Layout,
  NO_POSTINGS,
  type PostingList,
  posting,
  type Segment,
} from './segment.js';

/**
 * The postings of a term, in a plain array: typed arrays are slow to create, and most terms are rare.
 * Queries read a typed copy, which only grows. Before a query reads it, the new entries are copied.
 */
interface GrowingList {
  readonly entries: number[];
  /** Number of entries with a frequency of 0. */
  zeros: number;
  /** What queries read: a typed copy of the first `copied` entries, with room for more. */
  copy: Uint32Array;
  copied: number;
}

const MIN_CAPACITY = 16;

export class LiveSegment implements Segment {
  readonly layout: Layout;
  readonly ids: DocumentId[] = [];
  dead = new Uint8Array(MIN_CAPACITY);
  orders = new Float64Array(MIN_CAPACITY);
  lengths = new Uint32Array(MIN_CAPACITY);
  symbolStarts = new Uint32Array(MIN_CAPACITY + 1);
  readonly deadSlots: number[] = [];
  /** Only frozen segments have one. A live segment is small enough to read its tokens. */
  readonly positions = undefined;
  readonly globals = undefined;
  readonly #dictionary: Dictionary;
  readonly #tokenLists: TokenLists;
  readonly #lists: (GrowingList | undefined)[] = [];
  /** Number of slots that have postings and are counted in the dictionary. */
  indexedCount = 0;

  /**
   * `packed`: a segment whose documents were packed, and that no query has read. Its arrays are used again.
   */
  constructor(layout: Layout, dictionary: Dictionary, packed?: LiveSegment) {
    this.layout = layout;
    this.#dictionary = dictionary;
    this.#tokenLists = packed === undefined ? new TokenLists() : packed.#tokenLists;
    for (const list of Object.values(this.#tokenLists)) list.count = 0;
  }

  get size(): number {
    return this.ids.length;
  }

  get tokens(): Uint32Array {
    return this.#tokenLists.tokens.array;
  }

  get starts(): Uint32Array {
    return this.#tokenLists.starts.array;
  }

  get symbols(): Uint8Array {
    return this.#tokenLists.symbols.array;
  }

  get termCount(): number {
    return this.#dictionary.capacity;
  }

  /** Adds a document and returns its slot. The caller adds at most MAX_SLOTS. */
  add(
    id: DocumentId,
    order: number,
    texts: readonly string[],
    tokenizer: DocumentTokenizer,
  ): number {
    const slot = this.size;
    tokenizer.tokenize(texts, this.#tokenLists);
    this.dead = withCapacity(this.dead, slot + 1);
    this.orders = withCapacity(this.orders, slot + 1);
    this.lengths = withCapacity(this.lengths, slot + 1);
    this.symbolStarts = withCapacity(this.symbolStarts, slot + 2);
    this.orders[slot] = order;
    this.lengths[slot] = this.#lengthOf(slot);
    this.symbolStarts[slot + 1] = this.#tokenLists.symbols.count;
    this.ids.push(id);
    return slot;
  }

  /** Tokens in the default columns of a document. */
  #lengthOf(slot: number): number {
    const { count, defaults } = this.layout;
    const { starts } = this;
    let length = 0;
    for (let column = 0; column < count; column++) {
      const at = slot * (count + 1) + column;
      if (((defaults >>> column) & 1) === 1) length += (starts[at + 1] ?? 0) - (starts[at] ?? 0);
    }
    return length;
  }

  /** Makes the postings of the documents added since the last call and counts their terms. */
  indexPending(): void {
    const { count, defaults } = this.layout;
    for (; this.indexedCount < this.size; this.indexedCount++) {
      for (let column = 0; column < count; column++) {
        const { from, to } = columnTokens(this, this.indexedCount, column);
        const counts = (defaults >>> column) & 1;
        for (let at = from; at < to; at++)
          this.#addPosting(this.tokens[at] ?? 0, this.indexedCount, counts);
      }
    }
  }

  #addPosting(term: number, slot: number, counts: number): void {
    this.#lists[term] ??= { entries: [], zeros: 0, copy: NO_POSTINGS.packed, copied: 0 };
    const list = this.#lists[term];
    const { entries } = list;
    const last = entries[entries.length - 1];
    if (last === undefined || last >>> DETAIL_BITS !== slot) {
      entries.push(posting(slot, counts, this.lengths[slot] ?? 0));
      list.zeros += 1 - counts;
      this.#dictionary.retain(term);
    } else if (counts === 1) {
      const frequency = frequencyOf(last);
      if (frequency === 0) list.zeros--;
      entries[entries.length - 1] = posting(slot, frequency + 1, this.lengths[slot] ?? 0);
    }
  }

  localTerm(term: number): number {
    this.indexPending();
    return this.#lists[term] === undefined ? -1 : term;
  }

  postings(local: number): PostingList {
    const list = this.#lists[local];
    if (list === undefined) return NO_POSTINGS;
    const { entries } = list;
    list.copy = withCapacity(list.copy, entries.length);
    for (let at = list.copied; at < entries.length; at++) list.copy[at] = entries[at] ?? 0;
    list.copied = entries.length;
    return { packed: list.copy, length: entries.length };
  }

  union(locals: readonly number[]): PostingList {
    return unite(locals.map((local) => this.postings(local)));
  }

  hasZeros(local: number): boolean {
    return (this.#lists[local]?.zeros ?? 0) > 0;
  }
}
