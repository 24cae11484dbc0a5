/**
 * The documents of an index over its segments: one live, the rest frozen. It decides when to freeze
 * and which segments to merge, one bounded step at a time, and keeps the figures that the rank needs
 * exact: rows and tokens that are not deleted.
 */
import { Dictionary } from './dictionary.js';
import type { DocumentTokens } from './document-reader.js';
import { FrozenSegment } from './frozen-segment.js';
import { IdTable } from './id-table.js';
import { LiveSegment } from './live-segment.js';
import { livePlaces, type Place, packSegment } from './pack-segment.js';
import { LengthNorms } from './rank.js';
import {
  type DocumentId,
  FREQUENCY_BITS,
  type Layout,
  MAX_SLOTS,
  type Segment,
} from './segment.js';

/** A live segment is frozen at this many slots: most people's whole store never gets there. */
const LIVE_SLOTS = 10_000;
/** Freezing and merging touch at most this many tokens, some tens of milliseconds of work. */
const MAX_TOKENS = 2 ** 21;
/** More tokens than this are made ready by packing them, which is quicker than one by one. */
const MAX_BACKLOG = 2 ** 17;

const tokensIn = (segment: Segment) =>
  segment.starts[segment.size * (segment.layout.count + 1) - 1] ?? 0;
const liveIn = (segment: Segment) => segment.size - segment.deadCount;

export class SegmentStore {
  readonly layout: Layout;
  readonly dictionary = new Dictionary();
  readonly #liveSlots: number;
  readonly #places = new IdTable();
  /** By serial number; a place is `serial * MAX_SLOTS + slot`. */
  readonly #frozen = new Map<number, FrozenSegment>();
  #live: LiveSegment;
  #liveSerial = 0;
  #nextSerial = 1;
  #seen = new Int32Array(0);
  #stamp = 0;
  #mergeIsDue = false;
  /** From a cache: how many documents each term has is counted when the first of them goes. */
  #uncounted: FrozenSegment[] = [];
  #norms: { version: number; value: LengthNorms } | undefined;
  /** Documents. */
  rows = 0;
  /** Tokens in the default columns of all documents. */
  tokens = 0;
  /** Changes with every change. */
  version = 0;

  constructor(layout: Layout, liveSlots = LIVE_SLOTS) {
    this.layout = layout;
    this.#liveSlots = Math.min(liveSlots, MAX_SLOTS);
    this.#live = new LiveSegment(layout, this.dictionary);
  }

  /** Oldest first; the live one is last. */
  get segments(): readonly Segment[] {
    return [...this.#frozen.values(), this.#live];
  }

  get frozenSegments(): readonly FrozenSegment[] {
    return [...this.#frozen.values()];
  }

  /** What lengths do to the rank, for the documents held now. */
  get norms(): LengthNorms {
    if (this.#norms?.version !== this.version) {
      this.#norms = { version: this.version, value: new LengthNorms(this.rows, this.tokens) };
    }
    return this.#norms.value;
  }

  has(id: DocumentId): boolean {
    return this.#places.get(id) !== undefined;
  }

  firstFree(from: number): number {
    return this.#places.firstFree(from);
  }

  reserve(documents: number): void {
    this.#places.reserve(documents);
  }

  placeOf(id: DocumentId): Place | undefined {
    const place = this.#places.get(id);
    if (place === undefined) return undefined;
    const serial = Math.floor(place / MAX_SLOTS);
    const segment = serial === this.#liveSerial ? this.#live : this.#frozen.get(serial);
    return segment && { segment, slot: place % MAX_SLOTS };
  }

  /** Adds a document. One of the same id must be deleted before the new one's terms are looked up. */
  add(id: DocumentId, order: number, document: DocumentTokens): void {
    if (this.#mergeIsDue) this.#mergeSmall();
    const slot = this.#live.add(id, order, document);
    this.#places.set(id, this.#liveSerial * MAX_SLOTS + slot);
    this.#count(this.#live, slot, 1);
    if (this.#live.size >= this.#liveSlots || this.#live.tokenCount > MAX_TOKENS) this.freeze();
  }

  /** False if there is no such document. */
  delete(id: DocumentId): boolean {
    if (!this.has(id)) return false;
    // All documents' terms must be counted before any term is given up for want of documents.
    this.settle();
    this.#countAdopted();
    const place = this.placeOf(id);
    if (place === undefined) return false;
    const { segment, slot } = place;
    this.#places.delete(id);
    segment.kill(slot);
    this.#count(segment, slot, -1);
    this.#releaseTerms(segment, slot);
    if (segment instanceof FrozenSegment && segment.deadCount * 2 > segment.size)
      this.#replace([segment]);
    return true;
  }

  /** Makes what was added ready for queries and deletions: after a bulk load by packing it. */
  settle(): void {
    if (this.#live.tokenCount - this.#live.postedTokens > MAX_BACKLOG) this.freeze();
    else this.#live.catchUp();
  }

  /** Packs what is live. Two small segments are merged with the next addition, if there are such. */
  freeze(): void {
    const live = this.#live;
    const places = livePlaces(live);
    const packed = this.#pack(places);
    // A bulk load goes on with the same arrays: it leaves no garbage.
    this.#live = new LiveSegment(this.layout, this.dictionary, live.isBulk ? live : undefined);
    this.#liveSerial = this.#nextSerial++;
    const counted = places.filter(({ slot }) => slot < live.posted).length;
    if (packed) this.#retainTerms(packed, counted);
    this.#mergeIsDue = true;
  }

  /** Takes a segment of so many tokens from a cache; false, and nothing changed, if it holds a known document. */
  adopt(segment: FrozenSegment, tokens: number): boolean {
    if (!this.#places.add(segment.ids, this.#nextSerial * MAX_SLOTS)) return false;
    this.#frozen.set(this.#nextSerial++, segment);
    this.tokens += tokens;
    this.rows += segment.size;
    this.version++;
    this.#uncounted.push(segment);
    return true;
  }

  /** Forgets the terms of a cache that no document has. */
  giveUpUnusedTerms(): void {
    this.settle(); // or terms of documents that were put would not be counted yet
    this.#countAdopted();
    this.dictionary.giveUpUnused();
  }

  #countAdopted(): void {
    for (const segment of this.#uncounted) this.#retainTerms(segment, 0);
    this.#uncounted = [];
  }

  /** Counts the documents of each term, but for the first `counted` slots. */
  #retainTerms(segment: FrozenSegment, counted: number): void {
    const { offsets, terms, packed } = segment.parts;
    for (let local = 0; local < terms.length; local++) {
      const from = offsets[local] ?? 0;
      let to = offsets[local + 1] ?? 0;
      if (counted > 0)
        while (to > from && (packed[to - 1] ?? 0) >>> FREQUENCY_BITS >= counted) to--;
      const known = counted > 0 ? to - from : 0;
      this.dictionary.retain(terms[local] ?? 0, (offsets[local + 1] ?? 0) - from - known);
    }
  }

  #count(segment: Segment, slot: number, sign: 1 | -1): void {
    this.rows += sign;
    this.tokens += sign * (segment.lengths[slot] ?? 0);
    this.version++;
  }

  #releaseTerms(segment: Segment, slot: number): void {
    const capacity = this.dictionary.capacity;
    if (this.#seen.length < capacity) this.#seen = new Int32Array(capacity * 2);
    const stamp = ++this.#stamp;
    const width = this.layout.count + 1;
    const to = segment.starts[(slot + 1) * width - 1] ?? 0;
    for (let at = segment.starts[slot * width] ?? 0; at < to; at++) {
      const term = segment.globalTerm(segment.tokens[at] ?? 0);
      if (this.#seen[term] === stamp) continue;
      this.#seen[term] = stamp;
      this.dictionary.release(term);
    }
  }

  #pack(places: readonly Place[]): FrozenSegment | undefined {
    if (places.length === 0) return undefined;
    const segment = packSegment(this.layout, places, this.dictionary.capacity);
    const serial = this.#nextSerial++;
    this.#frozen.set(serial, segment);
    const { ids } = segment;
    for (let slot = 0; slot < ids.length; slot++)
      this.#places.set(ids[slot] ?? 0, serial * MAX_SLOTS + slot);
    return segment;
  }

  #replace(segments: readonly FrozenSegment[]): void {
    this.#countAdopted(); // while they are held anyhow
    for (const [serial, segment] of this.#frozen)
      if (segments.includes(segment)) this.#frozen.delete(serial);
    this.#pack(segments.flatMap(livePlaces));
    this.version++;
  }

  /** Only segments of like size are merged, so that a document is copied few times in its life. */
  #mergeSmall(): void {
    this.#mergeIsDue = false;
    const bySize = [...this.#frozen.values()].sort((x, y) => liveIn(x) - liveIn(y));
    for (let i = 1; i < bySize.length; i++) {
      const [a, b] = [bySize[i - 1], bySize[i]];
      if (a === undefined || b === undefined || liveIn(b) > 2 * liveIn(a)) continue;
      const fits = liveIn(a) + liveIn(b) <= MAX_SLOTS && tokensIn(a) + tokensIn(b) <= MAX_TOKENS;
      if (!fits) continue;
      this.#replace([a, b]);
      return;
    }
  }
}
