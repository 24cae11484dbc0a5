/**
 * The segments of an index: one live, the others frozen. The store decides when to freeze and which
 * segments to merge, one bounded step at a time, and counts the documents and tokens that are not
 * deleted, which the rank needs exactly.
 */
import { Dictionary } from '../terms/dictionary.js';
import { DocumentTokenizer } from '../tokenizing/document-tokenizer.js';
import { DocumentLocations } from './document-locations.js';
import { FrozenSegment } from './frozen-segment.js';
import { LiveSegment } from './live-segment.js';
import { type DocumentLocation, liveDocuments, packSegment } from './pack-segment.js';
import { insertSorted } from './posting-lists.js';
import {
  DETAIL_BITS,
  type DocumentId,
  type Layout,
  MAX_SLOTS,
  type Segment,
  tokensBefore,
} from './segment.js';

/** What a cache stores of a segment because it would otherwise be counted at every start. */
export interface SegmentTotals {
  /** In the default columns of all documents. */
  readonly tokenCount: number;
  readonly lastOrder: number;
}

/** A live segment is frozen at this many slots. Their different words have numbers of 16 bits, in most texts. */
const LIVE_SLOTS = 25_000;
/** The same, once queries have made its postings, which take more memory than packed ones. */
const LIVE_SLOTS_WITH_POSTINGS = 10_000;
/** Freezing and merging read at most this many tokens, which takes some tens of milliseconds. */
const MAX_TOKENS = 2 ** 21;
/** For more tokens than this, packing is faster than making postings one by one. */
const MAX_PENDING_TOKENS = 2 ** 17;

const tokensIn = (segment: Segment) => tokensBefore(segment, segment.size);
const liveIn = ({ size, deadSlots }: Segment) => size - deadSlots.length;

export class SegmentStore {
  readonly layout: Layout;
  readonly dictionary = new Dictionary();
  readonly #tokenizer: DocumentTokenizer;
  readonly #liveSlots: number;
  readonly #locations = new DocumentLocations();
  /** By serial number. `#locations` stores a location as `serial * MAX_SLOTS + slot`. */
  readonly #frozen = new Map<number, FrozenSegment>();
  #live: LiveSegment;
  #liveSerial = 0;
  #nextSerial = 1;
  #lastStamps = new Int32Array(0);
  #stamp = 0;
  #mergeIsDue = false;
  /** Segments from a cache. The documents of their terms are counted before the first deletion. */
  #uncounted: FrozenSegment[] = [];
  /** Documents in the index. */
  documentCount = 0;
  /** Tokens in the default columns of all documents. */
  tokenCount = 0;
  /** The greatest order of a document so far. */
  lastOrder = 0;
  /** Changes with every change of the index. */
  version = 0;

  /** `extended` is the mask of the columns whose CJK bigrams and words with symbols are indexed. */
  constructor(layout: Layout, extended: number, liveSlots = LIVE_SLOTS) {
    this.layout = layout;
    this.#tokenizer = new DocumentTokenizer(this.dictionary, extended);
    this.#liveSlots = Math.min(liveSlots, MAX_SLOTS);
    this.#live = new LiveSegment(layout, this.dictionary);
  }

  /** Oldest first. The live segment is last. */
  get segments(): readonly Segment[] {
    return [...this.frozenSegments, this.#live];
  }

  /** Whether the dictionary counts the documents of all terms, once `flush` was called. */
  get isCounted(): boolean {
    return this.#uncounted.length === 0;
  }

  get frozenSegments(): readonly FrozenSegment[] {
    return [...this.#frozen.values()];
  }

  has(id: DocumentId): boolean {
    return this.#locations.get(id) !== undefined;
  }

  firstFree(from: number): number {
    return this.#locations.firstFree(from);
  }

  reserve(documents: number): void {
    this.#locations.reserve(documents);
  }

  locationOf(id: DocumentId): DocumentLocation | undefined {
    const location = this.#locations.get(id);
    if (location === undefined) return undefined;
    const serial = Math.floor(location / MAX_SLOTS);
    const segment = serial === this.#liveSerial ? this.#live : this.#frozen.get(serial);
    return segment && { segment, slot: location % MAX_SLOTS };
  }

  /** Adds a document, of which there must not be one with the same id. `texts`: one for each column. */
  add(id: DocumentId, order: number, texts: readonly string[]): void {
    if (this.#mergeIsDue) this.#mergeSmall();
    const slot = this.#live.add(id, order, texts, this.#tokenizer);
    this.lastOrder = Math.max(this.lastOrder, order);
    this.#locations.set(id, this.#liveSerial * MAX_SLOTS + slot);
    this.#count(this.#live, slot, 1);
    // Once there are postings, the next search does not wait for those of new documents.
    const hasPostings = this.#live.indexedCount > 0;
    if (hasPostings) this.#live.indexPending();
    const most = hasPostings ? LIVE_SLOTS_WITH_POSTINGS : this.#liveSlots;
    const isFull = this.#live.size >= Math.min(most, this.#liveSlots);
    if (isFull || tokensIn(this.#live) > MAX_TOKENS) this.freeze();
  }

  /** False if there is no such document. */
  delete(id: DocumentId): boolean {
    if (!this.has(id)) return false;
    // The terms of all documents must be counted before a term without documents can be freed.
    this.flush();
    this.#countAdopted();
    const { segment, slot } = this.locationOf(id) as DocumentLocation;
    this.#locations.delete(id);
    segment.dead[slot] = 1;
    insertSorted(segment.deadSlots, slot);
    this.#count(segment, slot, -1);
    this.#releaseTerms(segment, slot);
    if (segment instanceof FrozenSegment && segment.deadSlots.length * 2 > segment.size)
      this.#replace([segment]);
    return true;
  }

  /** Prepares the added documents for queries and deletions. After a bulk load it packs them. */
  flush(): void {
    const live = this.#live;
    if (tokensIn(live) - tokensBefore(live, live.indexedCount) > MAX_PENDING_TOKENS) this.freeze();
    else live.indexPending();
  }

  /** Packs the live segment. The next addition merges two segments of similar size, if there are any. */
  freeze(): void {
    const live = this.#live;
    const documents = liveDocuments(live);
    const packed = this.#pack(documents);
    // A bulk load continues with the same arrays and leaves no garbage.
    const isUnseen = live.indexedCount === 0;
    this.#live = new LiveSegment(this.layout, this.dictionary, isUnseen ? live : undefined);
    this.#liveSerial = this.#nextSerial++;
    const counted = documents.filter(({ slot }) => slot < live.indexedCount).length;
    if (packed) this.#retainTerms(packed, counted);
    this.#mergeIsDue = true;
  }

  /** Adds a segment from a cache. False, and nothing changes, if one of its documents is in the index already. */
  adopt(segment: FrozenSegment, { tokenCount, lastOrder }: SegmentTotals): boolean {
    if (!this.#locations.add(segment.ids, this.#nextSerial * MAX_SLOTS)) return false;
    this.#frozen.set(this.#nextSerial++, segment);
    this.tokenCount += tokenCount;
    this.lastOrder = Math.max(this.lastOrder, lastOrder);
    this.documentCount += segment.size;
    this.version++;
    this.#uncounted.push(segment);
    return true;
  }

  /** Removes the terms of a cache that no document contains. */
  dropUnusedTerms(): void {
    this.flush(); // counts the terms of documents that were put meanwhile
    this.#countAdopted();
    this.dictionary.dropUnused();
  }

  #countAdopted(): void {
    for (const segment of this.#uncounted) this.#retainTerms(segment, 0);
    this.#uncounted = [];
  }

  /** Counts the documents of each term, without the first `counted` slots. */
  #retainTerms(segment: FrozenSegment, counted: number): void {
    const { offsets, terms, packed } = segment.parts;
    for (let local = 0; local < terms.length; local++) {
      let from = offsets[local] ?? 0;
      const to = offsets[local + 1] ?? 0;
      while (from < to && (packed[from] ?? 0) >>> DETAIL_BITS < counted) from++;
      this.dictionary.retain(terms[local] ?? 0, to - from);
    }
  }

  #count(segment: Segment, slot: number, sign: 1 | -1): void {
    this.documentCount += sign;
    this.tokenCount += sign * (segment.lengths[slot] ?? 0);
    this.version++;
  }

  #releaseTerms(segment: Segment, slot: number): void {
    const { capacity } = this.dictionary;
    if (this.#lastStamps.length < capacity) this.#lastStamps = new Int32Array(capacity * 2);
    const stamp = ++this.#stamp;
    const { tokens, globals } = segment;
    const to = tokensBefore(segment, slot + 1);
    for (let at = tokensBefore(segment, slot); at < to; at++) {
      const local = tokens[at] ?? 0;
      const term = globals === undefined ? local : (globals[local] ?? 0);
      if (this.#lastStamps[term] === stamp) continue;
      this.#lastStamps[term] = stamp;
      this.dictionary.release(term);
    }
  }

  #pack(documents: readonly DocumentLocation[]): FrozenSegment | undefined {
    if (documents.length === 0) return undefined;
    const segment = packSegment(this.layout, documents, this.dictionary.capacity);
    const serial = this.#nextSerial++;
    this.#frozen.set(serial, segment);
    const { ids } = segment;
    for (let slot = 0; slot < ids.length; slot++)
      this.#locations.set(ids[slot] ?? 0, serial * MAX_SLOTS + slot);
    return segment;
  }

  #replace(segments: readonly FrozenSegment[]): void {
    this.#countAdopted(); // before their segments are replaced
    for (const [serial, segment] of this.#frozen)
      if (segments.includes(segment)) this.#frozen.delete(serial);
    this.#pack(segments.flatMap(liveDocuments));
    this.version++;
  }

  /** Merges only segments of similar size, so that each document is copied few times. */
  #mergeSmall(): void {
    this.#mergeIsDue = false;
    const bySize = [...this.#frozen.values()].sort((x, y) => liveIn(x) - liveIn(y));
    const at = bySize.findIndex((b, i) => {
      const a = bySize[i - 1];
      if (a === undefined || liveIn(b) > 2 * liveIn(a)) return false;
      return liveIn(a) + liveIn(b) <= LIVE_SLOTS && tokensIn(a) + tokensIn(b) <= MAX_TOKENS;
    });
    if (at > 0) this.#replace(bySize.slice(at - 1, at + 1));
  }
}
