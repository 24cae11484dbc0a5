/**
 * The segment that still takes documents: every new or changed one comes here. Its token numbers
 * are the dictionary's own. Adding costs what the document costs; arrays double when full.
 * Postings are made when the first query or deletion needs them, so that a bulk load, whose
 * documents are packed before anyone asks, never makes them.
 */
import type { Dictionary } from './dictionary.js';
import type { DocumentTokens } from './document-reader.js';
import {
  columnTokens,
  type DocumentId,
  FREQUENCY_BITS,
  type Layout,
  MAX_FREQUENCY,
  MAX_SLOTS,
  NO_POSTINGS,
  type PostingList,
  type Segment,
} from './segment.js';

/**
 * A plain array while it grows: typed ones are slow to make, and most terms are rare. Queries read
 * a typed copy, made once per state of the list.
 */
interface GrowingList {
  readonly entries: number[];
  /** Entries of frequency 0. */
  zeros: number;
  lastSlot: number;
  copy: PostingList | undefined;
}

function grown<T extends Uint32Array | Uint8Array>(
  array: T,
  needed: number,
  make: (n: number) => T,
): T {
  if (needed <= array.length) return array;
  const larger = make(Math.max(needed, array.length * 2));
  larger.set(array);
  return larger;
}
const LEAST_ROOM = 1024;
const uint32 = (length: number) => new Uint32Array(length);
const bytes = (length: number) => new Uint8Array(length);

export class LiveSegment implements Segment {
  readonly layout: Layout;
  readonly dead = new Uint8Array(MAX_SLOTS);
  readonly ids: DocumentId[] = [];
  readonly orders = new Float64Array(MAX_SLOTS);
  readonly lengths = new Uint32Array(MAX_SLOTS);
  size = 0;
  deadCount = 0;
  tokens: Uint32Array;
  starts: Uint32Array = uint32(64);
  symbols: Uint8Array;
  readonly symbolStarts = uint32(MAX_SLOTS + 1);
  /** Kept by frozen segments only: a live one is small enough to look at its tokens. */
  readonly positions = undefined;
  readonly globals = undefined;
  readonly #dictionary: Dictionary;
  readonly #lists: (GrowingList | undefined)[] = [];
  #posted = 0;

  /** `emptied` is one whose documents were packed and that nobody has seen: its arrays are used again. */
  constructor(layout: Layout, dictionary: Dictionary, emptied?: LiveSegment) {
    this.tokens = emptied?.tokens ?? uint32(LEAST_ROOM);
    this.symbols = emptied?.symbols ?? bytes(LEAST_ROOM);
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

  /** Bytes of `symbols` in use. */
  get symbolCount(): number {
    return this.symbolStarts[this.size] ?? 0;
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
      length += ((this.layout.defaults >>> column) & 1) * (end - start);
    }
    const symbolStart = this.symbolCount;
    const symbolEnd = symbolStart + document.symbols.length;
    this.symbols = grown(this.symbols, symbolEnd, bytes);
    this.symbols.set(document.symbols, symbolStart);
    this.symbolStarts[slot + 1] = symbolEnd;
    this.ids.push(id);
    this.orders[slot] = order;
    this.lengths[slot] = length;
    this.size++;
    return slot;
  }

  /** Whether no document has postings yet, nor counts in the dictionary. */
  get isBulk(): boolean {
    return this.#posted === 0;
  }

  /** Slots that have postings and count in the dictionary. */
  get posted(): number {
    return this.#posted;
  }

  /** Tokens of those. */
  get postedTokens(): number {
    return this.starts[this.#posted * (this.layout.count + 1) - 1] ?? 0;
  }

  /** Makes the postings of all documents added since the last time, and counts their terms. */
  catchUp(): void {
    const { count, defaults } = this.layout;
    for (; this.#posted < this.size; this.#posted++) {
      for (let column = 0; column < count; column++) {
        const { from, to } = columnTokens(this, this.#posted, column);
        const counts = (defaults >>> column) & 1;
        for (let at = from; at < to; at++) this.#post(this.tokens[at] ?? 0, this.#posted, counts);
      }
    }
  }

  #post(term: number, slot: number, counts: number): void {
    const list = this.#lists[term];
    if (list === undefined) {
      const entries = [(slot << FREQUENCY_BITS) | counts];
      this.#lists[term] = { entries, zeros: 1 - counts, lastSlot: slot, copy: undefined };
      this.#dictionary.retain(term);
      return;
    }
    const { entries } = list;
    list.copy = undefined;
    if (list.lastSlot !== slot) {
      entries.push((slot << FREQUENCY_BITS) | counts);
      list.lastSlot = slot;
      list.zeros += 1 - counts;
      this.#dictionary.retain(term);
    } else if (counts === 1) {
      const last = entries[entries.length - 1] ?? 0;
      const frequency = last & MAX_FREQUENCY;
      if (frequency === 0) list.zeros--;
      if (frequency < MAX_FREQUENCY) entries[entries.length - 1] = last + 1;
    }
  }

  localTerm(term: number): number {
    this.catchUp();
    return this.#lists[term] === undefined ? -1 : term;
  }

  globalTerm(local: number): number {
    return local;
  }

  postings(local: number): PostingList {
    const list = this.#lists[local];
    if (list === undefined) return NO_POSTINGS;
    list.copy ??= { packed: Uint32Array.from(list.entries), length: list.entries.length };
    return list.copy;
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
