/**
 * The segment that still takes documents: every new or changed one comes here. Its token numbers
 * are the dictionary's own. Adding costs what the document costs; arrays double when full.
 */
import type { Dictionary } from './dictionary.js';
import {
  type DocumentId,
  FREQUENCY_BITS,
  type Layout,
  MAX_FREQUENCY,
  MAX_SLOTS,
  NO_POSTINGS,
  type PostingList,
  type Segment,
} from './segment.js';

interface GrowingList extends PostingList {
  packed: Uint32Array;
  length: number;
  /** Entries of frequency 0. */
  zeros: number;
  lastSlot: number;
}

/** Token numbers of one document, column after column. */
export interface DocumentTokens {
  readonly tokens: readonly number[];
  /** Where each column begins in `tokens`, and where the last ends. */
  readonly starts: readonly number[];
}

function grown<T extends Uint32Array | Float64Array>(
  array: T,
  needed: number,
  make: (n: number) => T,
): T {
  if (needed <= array.length) return array;
  const larger = make(Math.max(needed, array.length * 2));
  larger.set(array);
  return larger;
}
const uint32 = (length: number) => new Uint32Array(length);

export class LiveSegment implements Segment {
  readonly layout: Layout;
  readonly dead = new Uint8Array(MAX_SLOTS);
  readonly ids: DocumentId[] = [];
  readonly orders = new Float64Array(MAX_SLOTS);
  readonly lengths = new Uint32Array(MAX_SLOTS);
  size = 0;
  deadCount = 0;
  tokens: Uint32Array = uint32(1024);
  starts: Uint32Array = uint32(64);
  readonly #dictionary: Dictionary;
  readonly #lists: (GrowingList | undefined)[] = [];

  constructor(layout: Layout, dictionary: Dictionary) {
    this.layout = layout;
    this.#dictionary = dictionary;
  }

  get termCount(): number {
    return this.#dictionary.capacity;
  }

  /** Tokens held, those of deleted documents included. */
  get tokenCount(): number {
    return this.starts[this.size * (this.layout.count + 1) - 1] ?? 0;
  }

  /** Appends a document and returns its slot. The caller keeps to MAX_SLOTS. */
  add(id: DocumentId, order: number, document: DocumentTokens): number {
    const slot = this.size;
    const base = this.tokenCount;
    const width = this.layout.count + 1;
    this.tokens = grown(this.tokens, base + document.tokens.length, uint32);
    this.starts = grown(this.starts, (slot + 1) * width, uint32);
    this.tokens.set(document.tokens, base);
    let length = 0;
    for (let column = 0; column < width; column++) {
      const start = document.starts[column] ?? 0;
      this.starts[slot * width + column] = base + start;
      if (column === width - 1) break;
      const end = document.starts[column + 1] ?? 0;
      const counts = (this.layout.defaults >>> column) & 1;
      length += counts * (end - start);
      for (let at = start; at < end; at++) this.#post(document.tokens[at] ?? 0, slot, counts);
    }
    this.ids.push(id);
    this.orders[slot] = order;
    this.lengths[slot] = length;
    this.size++;
    return slot;
  }

  #post(term: number, slot: number, counts: number): void {
    let list = this.#lists[term];
    if (list === undefined) {
      list = { packed: uint32(2), length: 0, zeros: 0, lastSlot: -1 };
      this.#lists[term] = list;
    }
    if (list.lastSlot !== slot) {
      list.packed = grown(list.packed, list.length + 1, uint32);
      list.packed[list.length++] = (slot << FREQUENCY_BITS) | counts;
      list.lastSlot = slot;
      list.zeros += 1 - counts;
      this.#dictionary.retain(term);
      return;
    }
    if (counts === 0) return;
    const last = list.packed[list.length - 1] ?? 0;
    const frequency = last & MAX_FREQUENCY;
    if (frequency === 0) list.zeros--;
    if (frequency < MAX_FREQUENCY) list.packed[list.length - 1] = last + 1;
  }

  localTerm(term: number): number {
    return this.#lists[term] === undefined ? -1 : term;
  }

  globalTerm(local: number): number {
    return local;
  }

  postings(local: number): PostingList {
    return this.#lists[local] ?? NO_POSTINGS;
  }

  hasZeros(local: number): boolean {
    return (this.#lists[local]?.zeros ?? 0) > 0;
  }

  kill(slot: number): boolean {
    if (this.dead[slot] === 1) return false;
    this.dead[slot] = 1;
    this.deadCount++;
    return true;
  }
}
