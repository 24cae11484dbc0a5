/**
 * Finds the instances of a phrase in one segment: which documents have it, how often, and where.
 * A plain word is answered from its postings as they are. Anything with a place in it (several
 * terms, `^`, a column filter) takes its candidates from the postings and looks at their tokens.
 */
import type { Dictionary } from './dictionary.js';
import { positionOf } from './near.js';
import { intersectAll, seek, unite } from './posting-lists.js';
import type { Phrase } from './query-tree.js';
import {
  columnTokens,
  FREQUENCY_BITS,
  MAX_FREQUENCY,
  MAX_SLOTS,
  NO_POSTINGS,
  type Positions,
  type PostingList,
  type Segment,
} from './segment.js';

/** A phrase whose terms are looked up: for each place, the dictionary numbers that may stand there. */
export interface ResolvedPhrase {
  readonly places: readonly (readonly number[])[];
  readonly first: boolean;
  readonly columns: number;
}

/** What one place of a phrase accepts in one segment: a single term, or those marked. */
interface Acceptor {
  readonly locals: readonly number[];
  readonly single: number;
  readonly marks: Uint8Array | undefined;
}

/** Looks every term up; `expand` gives the numbers behind a prefix and may refuse too many. */
export function resolvePhrase(
  phrase: Phrase,
  dictionary: Dictionary,
  expand: (prefix: string) => readonly number[],
): ResolvedPhrase {
  const places = phrase.terms.map(({ term, prefix, spellings }) => {
    if (prefix) return expand(term);
    const numbers = [term, ...(spellings ?? [])].map((spelling) => dictionary.find(spelling));
    return [...new Set(numbers.filter((number) => number !== undefined))];
  });
  return { places, first: phrase.first, columns: phrase.columns };
}

function localNumbers(segment: Segment, numbers: readonly number[]): number[] {
  const locals: number[] = [];
  if (numbers.length * 8 < segment.termCount) {
    for (const number of numbers) {
      const local = segment.localTerm(number);
      if (local >= 0) locals.push(local);
    }
    return locals;
  }
  // Many numbers: one pass over the segment's terms instead of a search for each.
  const wanted = new Set(numbers);
  for (let local = 0; local < segment.termCount; local++) {
    const number = segment.globalTerm(local);
    if (wanted.has(number) && segment.localTerm(number) >= 0) locals.push(local);
  }
  return locals;
}

function acceptorOf(segment: Segment, numbers: readonly number[]): Acceptor {
  const locals = localNumbers(segment, numbers);
  if (locals.length < 2) return { locals, single: locals[0] ?? -1, marks: undefined };
  const marks = new Uint8Array(segment.termCount);
  for (const local of locals) marks[local] = 1;
  return { locals, single: -1, marks };
}

/** Postings without deleted documents and without those that have the term in other columns only. */
function livePostings(segment: Segment, local: number): PostingList {
  const list = segment.postings(local);
  if (segment.deadCount === 0 && !segment.hasZeros(local)) return list;
  const packed = new Uint32Array(list.length);
  let length = 0;
  for (let i = 0; i < list.length; i++) {
    const entry = list.packed[i] ?? 0;
    if ((entry & MAX_FREQUENCY) > 0 && segment.dead[entry >>> FREQUENCY_BITS] !== 1)
      packed[length++] = entry;
  }
  return { packed, length };
}

/** The union over many terms, frequencies added up. */
function unionPostings(segment: Segment, locals: readonly number[]): PostingList {
  const sums = new Float64Array(MAX_SLOTS);
  for (const local of locals) {
    const { packed, length } = segment.postings(local);
    for (let i = 0; i < length; i++) {
      const entry = packed[i] ?? 0;
      const slot = entry >>> FREQUENCY_BITS;
      sums[slot] = (sums[slot] ?? 0) + (entry & MAX_FREQUENCY);
    }
  }
  const packed = new Uint32Array(segment.size);
  let length = 0;
  for (let slot = 0; slot < segment.size; slot++) {
    const frequency = sums[slot] ?? 0;
    if (frequency === 0 || segment.dead[slot] === 1) continue;
    packed[length++] = (slot << FREQUENCY_BITS) | Math.min(frequency, MAX_FREQUENCY);
  }
  return { packed, length };
}

/** A phrase made ready for one segment. */
export class PhraseMatcher {
  readonly #segment: Segment;
  readonly #columns: readonly number[];
  readonly #acceptors: readonly Acceptor[];
  readonly #first: boolean;
  readonly #usesPostings: boolean;
  /** Only single terms, anywhere in the default columns. */
  readonly #isPlain: boolean;
  readonly #singles: Int32Array;
  /** Where the last document's posting was found: documents are asked for in order. */
  #cursor = 0;

  constructor(segment: Segment, phrase: ResolvedPhrase) {
    this.#segment = segment;
    this.#first = phrase.first;
    this.#columns = Array.from({ length: segment.layout.count }, (_, column) => column).filter(
      (column) => ((phrase.columns >>> column) & 1) === 1,
    );
    this.#acceptors = phrase.places.map((numbers) => acceptorOf(segment, numbers));
    const isAnywhere = !phrase.first && phrase.columns === segment.layout.defaults;
    this.#usesPostings = isAnywhere && phrase.places.length === 1;
    this.#isPlain = isAnywhere && this.#acceptors.every(({ marks }) => marks === undefined);
    this.#singles = Int32Array.from(this.#acceptors, ({ single }) => single);
  }

  /** Terms in the phrase: its length in tokens. */
  get length(): number {
    return this.#acceptors.length;
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
    const { positions } = this.#segment;
    if (positions !== undefined && this.#isPlain) return this.#anchored(positions);
    return this.#verified(this.#candidates());
  }

  /** Looks at each place of the rarest term whether the others stand around it. */
  #anchored({ places, starts, first }: Positions): PostingList {
    const { tokens, dead, layout } = this.#segment;
    const lists = this.#acceptors.map(({ single }) => this.#segment.postings(single));
    const shortest = Math.min(...lists.map(({ length }) => length));
    const anchor = lists.findIndex(({ length }) => length === shortest);
    const { packed: entries, length: count } = lists[anchor] ?? NO_POSTINGS;
    const base = first(this.#acceptors[anchor]?.single ?? 0);
    const packed = new Uint32Array(count);
    let length = 0;
    for (let i = 0; i < count; i++) {
      const entry = entries[i] ?? 0;
      const slot = entry >>> FREQUENCY_BITS;
      if (dead[slot] === 1) continue;
      const document = this.#segment.starts[slot * (layout.count + 1)] ?? 0;
      const from = starts[base + i] ?? 0;
      const to = from + (entry & MAX_FREQUENCY);
      let found = 0;
      for (let at = from; at < to; at++) {
        const start = document + (places[at] ?? 0) - anchor;
        if (start >= document && this.#standsAt(tokens, start) && this.#isInColumn(slot, start))
          found++;
      }
      // A frequency that was cut does not tell all places.
      if (to - from === MAX_FREQUENCY) found = this.count(slot);
      if (found > 0) packed[length++] = (slot << FREQUENCY_BITS) | Math.min(found, MAX_FREQUENCY);
    }
    return { packed, length };
  }

  #standsAt(tokens: Uint16Array | Uint32Array, start: number): boolean {
    const singles = this.#singles;
    for (let i = 0; i < singles.length; i++) if (tokens[start + i] !== singles[i]) return false;
    return true;
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
    if (this.#usesPostings && this.#isPlain && this.#readPositions(slot, positions))
      return positions;
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
    const kept = this.#segment.positions;
    const single = this.#singles[0] ?? -1;
    if (kept === undefined) return false;
    const list = this.#segment.postings(single);
    const known = (list.packed[this.#cursor] ?? 0) >>> FREQUENCY_BITS;
    const at = seek(list, slot, known <= slot ? this.#cursor : 0);
    const entry = list.packed[at] ?? 0;
    const frequency = entry & MAX_FREQUENCY;
    if (at >= list.length || entry >>> FREQUENCY_BITS !== slot || frequency === MAX_FREQUENCY)
      return false;
    this.#cursor = at;
    const start = kept.starts[kept.first(single) + at] ?? 0;
    const document = this.#segment.starts[slot * (this.#segment.layout.count + 1)] ?? 0;
    let next = 0;
    for (const column of this.#columns) {
      const { from, to } = columnTokens(this.#segment, slot, column);
      for (; next < frequency; next++) {
        const place = document + (kept.places[start + next] ?? 0);
        if (place >= to) break;
        into.push(positionOf(column, place - from));
      }
    }
    return true;
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
