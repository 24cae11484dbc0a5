/**
 * Finds the instances of a phrase in one segment: which documents have it, how often, and where.
 * A plain word is answered from its postings as they are; several start from the rarest one's
 * places. A prefix within a phrase, `^` and column filters look at the tokens of their candidates.
 */
import { positionOf } from './near.js';
import {
  type Acceptor,
  acceptorOf,
  livePostings,
  type ResolvedPhrase,
  unionPostings,
} from './phrase-terms.js';
import { intersectAll, seek, unite } from './posting-lists.js';
import {
  columnTokens,
  FREQUENCY_BITS,
  MAX_FREQUENCY,
  NO_POSTINGS,
  type Positions,
  type PostingList,
  type Segment,
} from './segment.js';

/** A phrase made ready for one segment. */
export class PhraseMatcher {
  readonly #segment: Segment;
  readonly #columns: readonly number[];
  readonly #acceptors: readonly Acceptor[];
  readonly #first: boolean;
  readonly #usesPostings: boolean;
  /** Only single terms, anywhere in the default columns. */
  readonly #isPlain: boolean;
  readonly #singles: readonly number[];
  /** Looked up by what works through many documents; for a few their tokens are read. */
  #positions: Positions | undefined;
  /** The postings of a plain word in a frozen segment, which never change. */
  #list: PostingList | undefined;
  /** Where the last document's posting was found: documents are asked for in order. */
  #cursor = 0;
  /** See seekPlaces. */
  firstPlace = 0;
  endPlace = 0;

  constructor(segment: Segment, phrase: ResolvedPhrase) {
    this.#segment = segment;
    this.#first = phrase.first;
    this.#columns = phrase.columnNumbers;
    this.#acceptors = phrase.places.map((numbers) => acceptorOf(segment, numbers));
    const isAnywhere = !phrase.first && phrase.columns === segment.layout.defaults;
    this.#usesPostings = isAnywhere && phrase.places.length === 1;
    this.#isPlain = isAnywhere && this.#acceptors.every(({ marks }) => marks === undefined);
    this.#singles = this.#acceptors.map(({ single }) => single);
  }

  /** Terms in the phrase: its length in tokens. */
  get length(): number {
    return this.#acceptors.length;
  }

  get #isWord(): boolean {
    return this.#usesPostings && this.#isPlain;
  }

  /** Of a plain word. */
  get #postings(): PostingList {
    this.#list ??= this.#segment.postings(this.#singles[0] ?? -1);
    return this.#list;
  }

  #isHopeless(): boolean {
    const none = this.#acceptors.some(({ locals }) => locals.length === 0);
    return none || this.#acceptors.length === 0 || this.#columns.length === 0;
  }

  /** The documents with at least one instance and how many they have. */
  hits(): PostingList {
    if (this.#isHopeless()) return NO_POSTINGS;
    const [only] = this.#acceptors;
    if (this.#usesPostings && only !== undefined) {
      return only.marks === undefined
        ? livePostings(this.#segment, only.single)
        : unionPostings(this.#segment, only.locals);
    }
    if (this.#isPlain) this.#positions = this.#segment.positions;
    if (this.#positions) return this.#anchored(this.#positions);
    return this.#verified(this.#candidates());
  }

  /**
   * Meets the places of the rarest term with those of its neighbour in the phrase. Both are read in
   * order; looking into the tokens instead would miss the processor's cache at every place.
   */
  #anchored({ places, starts, first }: Positions): PostingList {
    const lists = this.#acceptors.map(({ single }) => this.#segment.postings(single));
    const anchor = lists.reduce(
      (best, list, i) => (list.length < (lists[best]?.length ?? 0) ? i : best),
      0,
    );
    const towards = anchor === 0 ? 1 : -1;
    const [rare, other] = [lists[anchor] ?? NO_POSTINGS, lists[anchor + towards] ?? NO_POSTINGS];
    const rareFirst = first(this.#singles[anchor] ?? 0);
    const otherFirst = first(this.#singles[anchor + towards] ?? 0);
    const packed = new Uint32Array(rare.length);
    let length = 0;
    let beside = 0;
    for (let i = 0; i < rare.length; i++) {
      const slot = (rare.packed[i] ?? 0) >>> FREQUENCY_BITS;
      beside = seek(other, slot, beside);
      if (beside === other.length) break;
      const entry = other.packed[beside] ?? 0;
      if (entry >>> FREQUENCY_BITS !== slot || this.#segment.dead[slot] === 1) continue;
      const [mine, theirs] = [(rare.packed[i] ?? 0) & MAX_FREQUENCY, entry & MAX_FREQUENCY];
      const from = starts[rareFirst + i] ?? 0;
      let next = starts[otherFirst + beside] ?? 0;
      const end = next + theirs;
      let found = 0;
      for (let at = from; at < from + mine; at++) {
        const wanted = (places[at] ?? 0) + towards;
        while (next < end && (places[next] ?? 0) < wanted) next++;
        if (
          next < end &&
          places[next] === wanted &&
          this.#standsAt(slot, wanted - towards - anchor)
        )
          found++;
      }
      // Frequencies that were cut do not tell all places.
      if (Math.max(mine, theirs) === MAX_FREQUENCY) found = this.count(slot);
      if (found > 0) packed[length++] = (slot << FREQUENCY_BITS) | Math.min(found, MAX_FREQUENCY);
    }
    return { packed, length };
  }

  /** Whether the whole phrase stands at a place of a document, within one column. */
  #standsAt(slot: number, place: number): boolean {
    const { tokens, layout, starts } = this.#segment;
    const start = (starts[slot * (layout.count + 1)] ?? 0) + place;
    const singles = this.#singles;
    if (place < 0) return false;
    for (let i = 0; i < singles.length; i++) if (tokens[start + i] !== singles[i]) return false;
    return this.#isInColumn(slot, start);
  }

  /** Whether the phrase at `start` ends in the column in which it begins, one that it may stand in. */
  #isInColumn(slot: number, start: number): boolean {
    for (const column of this.#columns) {
      const { from, to } = columnTokens(this.#segment, slot, column);
      if (start >= from && start < to) return start + this.#acceptors.length <= to;
    }
    return false;
  }

  #candidates(): PostingList {
    const listOf = ({ locals }: Acceptor) =>
      unite(locals.map((local) => this.#segment.postings(local)));
    // A prefix may stand for thousands of terms; the plain ones alone narrow enough.
    const plain = this.#acceptors.filter(({ marks }) => marks === undefined);
    return intersectAll((plain.length > 0 ? plain : this.#acceptors).map(listOf));
  }

  #verified(candidates: PostingList): PostingList {
    const packed = new Uint32Array(candidates.length);
    let length = 0;
    for (let i = 0; i < candidates.length; i++) {
      const slot = (candidates.packed[i] ?? 0) >>> FREQUENCY_BITS;
      if (this.#segment.dead[slot] === 1) continue;
      const count = this.count(slot);
      if (count > 0) packed[length++] = (slot << FREQUENCY_BITS) | Math.min(count, MAX_FREQUENCY);
    }
    return { packed, length };
  }

  /** The number of instances in one document. */
  count(slot: number): number {
    let count = 0;
    for (const column of this.#columns) {
      const { from, to } = columnTokens(this.#segment, slot, column);
      count += this.#scan(from, to, undefined);
    }
    return count;
  }

  /** `count`, but 0 for a phrase that cannot match here. */
  countIn(slot: number): number {
    return this.#isHopeless() ? 0 : this.count(slot);
  }

  /** The places of every instance in one document, in order; see near.ts. */
  positions(slot: number): number[] {
    const positions: number[] = [];
    if (this.#isHopeless()) return positions;
    if (this.#readPositions(slot, positions)) return positions;
    const offsets: number[] = [];
    for (const column of this.#columns) {
      const { from, to } = columnTokens(this.#segment, slot, column);
      offsets.length = 0;
      this.#scan(from, to, offsets);
      for (const offset of offsets) positions.push(positionOf(column, offset));
    }
    return positions;
  }

  /** A plain word's places from the segment's own list; false if it keeps none. */
  #readPositions(slot: number, into: number[]): boolean {
    const kept = this.#positions;
    if (kept === undefined || !this.seekPlaces(slot)) return false;
    const document = this.#segment.starts[slot * (this.#segment.layout.count + 1)] ?? 0;
    let next = this.firstPlace;
    for (const column of this.#columns) {
      const { from, to } = columnTokens(this.#segment, slot, column);
      for (; next < this.endPlace; next++) {
        const place = document + (kept.places[next] ?? 0);
        if (place >= to) break;
        into.push(positionOf(column, place - from));
      }
    }
    return true;
  }

  /**
   * Sets `firstPlace` and `endPlace` to a plain word's share of the segment's places; false if it
   * is no plain word or the segment does not tell.
   */
  seekPlaces(slot: number): boolean {
    const kept = this.#positions;
    if (kept === undefined || !this.#isWord) return false;
    const single = this.#singles[0] ?? -1;
    const list = this.#postings;
    const known = (list.packed[this.#cursor] ?? 0) >>> FREQUENCY_BITS;
    const at = seek(list, slot, known <= slot ? this.#cursor : 0);
    const entry = list.packed[at] ?? 0;
    const frequency = entry & MAX_FREQUENCY;
    if (at >= list.length || entry >>> FREQUENCY_BITS !== slot || frequency === MAX_FREQUENCY)
      return false;
    this.#cursor = at;
    this.firstPlace = kept.starts[kept.first(single) + at] ?? 0;
    this.endPlace = this.firstPlace + frequency;
    return true;
  }

  /**
   * The documents in which this and another plain word have places within `reach` of each other,
   * columns not looked at: settles most of a NEAR without a list made. `undefined` where either is no
   * plain word or the segment does not tell.
   */
  meetings(other: PhraseMatcher, reach: number): PostingList | undefined {
    const kept = this.#segment.positions;
    if (kept === undefined || !this.#isWord || !other.#isWord) return undefined;
    const [rare, common] = [this.#postings, other.#postings];
    if (rare.length > common.length) return other.meetings(this, reach);
    this.#positions = kept;
    other.#positions = kept;
    const rareFirst = kept.first(this.#singles[0] ?? -1);
    const commonFirst = kept.first(other.#singles[0] ?? -1);
    const packed = new Uint32Array(rare.length);
    let length = 0;
    let beside = 0;
    for (let i = 0; i < rare.length; i++) {
      const entry = rare.packed[i] ?? 0;
      const slot = entry >>> FREQUENCY_BITS;
      beside = seek(common, slot, beside);
      if (beside === common.length) break;
      const second = common.packed[beside] ?? 0;
      if (second >>> FREQUENCY_BITS !== slot || this.#segment.dead[slot] === 1) continue;
      const first = { from: kept.starts[rareFirst + i] ?? 0, count: entry & MAX_FREQUENCY };
      const from = kept.starts[commonFirst + beside] ?? 0;
      if (meet(kept.places, first, { from, count: second & MAX_FREQUENCY }, reach))
        packed[length++] = entry;
    }
    return { packed, length };
  }

  /** Counts the instances among the tokens of one column and notes where they begin. */
  #scan(from: number, to: number, offsets: number[] | undefined): number {
    const length = this.#acceptors.length;
    const end = this.#first ? Math.min(from + 1, to - length + 1) : to - length + 1;
    const [lead, second] = this.#acceptors;
    if (lead === undefined) return 0;
    if (lead.marks !== undefined) return this.#scanMarked(from, end, lead.marks, offsets);
    const { tokens } = this.#segment;
    const { single } = lead;
    const follower = second?.marks === undefined ? (second?.single ?? -1) : -1;
    let count = 0;
    // The loop that phrases spend their time in: one comparison for most tokens.
    for (let at = from; at < end; at++) {
      if (tokens[at] !== single) continue;
      if (follower >= 0 && tokens[at + 1] !== follower) continue;
      if ((length > 2 || (length === 2 && follower < 0)) && !this.#follows(at)) continue;
      count++;
      if (offsets !== undefined) offsets.push(at - from);
    }
    return count;
  }

  #scanMarked(from: number, end: number, marks: Uint8Array, offsets: number[] | undefined): number {
    const { tokens } = this.#segment;
    let count = 0;
    for (let at = from; at < end; at++) {
      if (marks[tokens[at] ?? 0] !== 1 || !this.#follows(at)) continue;
      count++;
      if (offsets !== undefined) offsets.push(at - from);
    }
    return count;
  }

  #follows(start: number): boolean {
    const { tokens } = this.#segment;
    for (let i = 1; i < this.#acceptors.length; i++) {
      const token = tokens[start + i] ?? -1;
      const { single, marks } = this.#acceptors[i] as Acceptor;
      if (marks === undefined ? token !== single : marks[token] !== 1) return false;
    }
    return true;
  }
}

interface Places {
  readonly from: number;
  readonly count: number;
}

/** Whether places of both may be within `reach`: frequencies that were cut do not tell all. */
function meet(places: Positions['places'], a: Places, b: Places, reach: number): boolean {
  if (Math.max(a.count, b.count) === MAX_FREQUENCY) return true;
  const [aEnd, bEnd] = [a.from + a.count, b.from + b.count];
  for (let i = a.from, j = b.from; i < aEnd && j < bEnd; ) {
    const apart = (places[j] ?? 0) - (places[i] ?? 0);
    if (apart > reach) i++;
    else if (-apart > reach) j++;
    else return true;
  }
  return false;
}
