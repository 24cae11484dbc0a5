/**
 * Finds words with symbols as typed in one segment. Documents that have the words are candidates;
 * something of symbols alone (`=>`) is looked for in all.
 */
import type { Matcher } from './matcher.js';
import { positionOf } from './near.js';
import { type Acceptor, acceptorOf, type ResolvedPhrase } from './phrase-terms.js';
import { intersectAll, unite } from './posting-lists.js';
import {
  columnTokens,
  FREQUENCY_BITS,
  MAX_FREQUENCY,
  NO_POSTINGS,
  type PostingList,
  type Segment,
} from './segment.js';
import { findPattern } from './symbols.js';

export class SymbolMatcher implements Matcher {
  readonly #segment: Segment;
  readonly #pattern: Uint8Array;
  readonly #acceptors: readonly Acceptor[];
  readonly #columns: readonly number[];

  constructor(segment: Segment, phrase: ResolvedPhrase, pattern: Uint8Array) {
    this.#segment = segment;
    this.#pattern = pattern;
    this.#acceptors = phrase.places.map((numbers) => acceptorOf(segment, numbers));
    this.#columns = phrase.columnNumbers;
  }

  get length(): number {
    return this.#acceptors.length;
  }

  hits(): PostingList {
    if (this.#isHopeless()) return NO_POSTINGS;
    const packed = new Uint32Array(this.#segment.size);
    let length = 0;
    for (const slot of this.#candidates()) {
      if (this.#segment.dead[slot] === 1) continue;
      const count = this.count(slot);
      if (count > 0) packed[length++] = (slot << FREQUENCY_BITS) | Math.min(count, MAX_FREQUENCY);
    }
    return { packed: packed.subarray(0, length), length };
  }

  count(slot: number): number {
    let count = 0;
    this.#find(slot, () => count++);
    return count;
  }

  countIn(slot: number): number {
    return this.#isHopeless() ? 0 : this.count(slot);
  }

  /** None for symbols alone, which are not among the words that places count. */
  positions(slot: number): number[] {
    const positions: number[] = [];
    if (this.length === 0 || this.#isHopeless()) return positions;
    this.#find(slot, (word) => {
      const place = this.#firstToken(slot) + word;
      for (const column of this.#columns) {
        const { from, to } = columnTokens(this.#segment, slot, column);
        if (place >= from && place < to) positions.push(positionOf(column, place - from));
      }
    });
    return positions;
  }

  #isHopeless(): boolean {
    return this.#acceptors.some(({ locals }) => locals.length === 0);
  }

  *#candidates(): Iterable<number> {
    if (this.#acceptors.length === 0) {
      for (let slot = 0; slot < this.#segment.size; slot++) yield slot;
      return;
    }
    const lists = this.#acceptors.map(({ locals }) =>
      unite(locals.map((local) => this.#segment.postings(local))),
    );
    const { packed, length } = intersectAll(lists);
    for (let i = 0; i < length; i++) yield (packed[i] ?? 0) >>> FREQUENCY_BITS;
  }

  #firstToken(slot: number): number {
    return columnTokens(this.#segment, slot, 0).from;
  }

  #find(slot: number, found: (word: number) => void): void {
    const { tokens } = this.#segment;
    const first = this.#firstToken(slot);
    const isWord = (word: number, n: number) => {
      const token = tokens[first + word] ?? -1;
      const { single, marks } = this.#acceptors[n] as Acceptor;
      return marks === undefined ? token === single : marks[token] === 1;
    };
    findPattern(this.#segment, slot, this.#pattern, isWord, found);
  }
}
