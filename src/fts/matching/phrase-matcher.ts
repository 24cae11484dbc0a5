/**
 * Finds a phrase in one segment: which documents contain it, how often and where. Three strategies:
 * one term is answered from its postings; several plain terms walk the position lists of a frozen
 * segment (position-walk.ts); everything else (prefixes within a phrase, `^`, column filters, live
 * segments) reads the tokens of candidate documents (token-scan.ts).
 */
import { intersectAll, seek } from '../segments/posting-lists.js';
import {
  columnTokens,
  DETAIL_BITS,
  NO_POSTINGS,
  type PositionIndex,
  type PostingList,
  posting,
  type Segment,
} from '../segments/segment.js';
import type { Matcher } from './matcher.js';
import { type PositionList, positionOf } from './near.js';
import { postingsOf, type ResolvedPhrase, TermSet } from './phrase-terms.js';
import { adjacentPostings, nearPostings, type WordPostings } from './position-walk.js';
import { TokenScan } from './token-scan.js';

export class PhraseMatcher implements Matcher {
  readonly #segment: Segment;
  readonly #columns: readonly number[];
  readonly #terms: readonly TermSet[];
  readonly #first: boolean;
  /** Made when it is needed: most queries read no tokens. */
  #tokenScan: TokenScan | undefined;
  /** One term, anywhere in the default columns: what postings count. */
  readonly #isOneTerm: boolean;
  /** Only single terms, anywhere in the default columns: what position lists contain. */
  readonly #isPlain: boolean;
  /** Set once a whole segment is searched. For single documents, reading their tokens is faster. */
  #index: PositionIndex | undefined;
  #wordPostings: PostingList | undefined;
  /** The posting of the last document asked for. Documents are asked for in ascending order. */
  #cursor = 0;

  constructor(segment: Segment, phrase: ResolvedPhrase) {
    this.#segment = segment;
    this.#columns = phrase.columnNumbers;
    this.#terms = phrase.termsAt.map((numbers) => new TermSet(segment, numbers));
    this.#first = phrase.first;
    const isAnywhere = !phrase.first && phrase.columns === segment.layout.defaults;
    this.#isOneTerm = isAnywhere && phrase.termsAt.length === 1;
    this.#isPlain = isAnywhere && !this.#terms.some(({ isSeveral }) => isSeveral);
  }

  get #scan(): TokenScan {
    this.#tokenScan ??= new TokenScan(this.#segment, this.#terms, this.#first);
    return this.#tokenScan;
  }

  get length(): number {
    return this.#terms.length;
  }

  hits(): PostingList {
    if (this.#cannotMatch()) return NO_POSTINGS;
    const [only] = this.#terms;
    if (this.#isOneTerm && only !== undefined) return postingsOf(this.#segment, only);
    if (this.#isPlain) this.#index = this.#segment.positions;
    return this.#index === undefined ? this.#scanCandidates() : this.#walkPositions(this.#index);
  }

  count(slot: number): number {
    let count = 0;
    for (const column of this.#columns) {
      const { from, to } = columnTokens(this.#segment, slot, column);
      count += this.#scan.count(from, to);
    }
    return count;
  }

  countIn(slot: number): number {
    return this.#cannotMatch() ? 0 : this.count(slot);
  }

  addPositions(slot: number, into: PositionList): void {
    if (this.#cannotMatch() || this.#readPositions(slot, into)) return;
    const offsets: number[] = [];
    for (const column of this.#columns) {
      const { from, to } = columnTokens(this.#segment, slot, column);
      offsets.length = 0;
      this.#scan.count(from, to, offsets);
      for (const offset of offsets) into.push(positionOf(column, offset));
    }
  }

  /**
   * The documents in which this and another plain word meet a NEAR of the two, and the instances of each.
   * `undefined` if either is not a plain word or the segment has no position lists.
   */
  near(other: PhraseMatcher, distance: number): [PostingList, PostingList] | undefined {
    const index = this.#segment.positions;
    if (index === undefined || !this.isWord || !other.isWord) return undefined;
    this.#index = index;
    other.#index = index;
    const words = [this.#wordAt(index, 0), other.#wordAt(index, 0)] as const;
    return nearPostings(this.#segment, index, words, this.#columns, 1 + distance);
  }

  /** One term of the segment at most, anywhere in the default columns. */
  get isWord(): boolean {
    return this.#isOneTerm && this.#isPlain;
  }

  /** Whether documents have a term of this phrase in other columns alone. */
  get hasZeros(): boolean {
    return this.#terms.some(({ hasZeros }) => hasZeros);
  }

  #cannotMatch(): boolean {
    const isMissing = this.#terms.some(({ locals }) => locals.length === 0);
    return isMissing || this.#terms.length === 0 || this.#columns.length === 0;
  }

  #wordAt(index: PositionIndex, term: number): WordPostings {
    const { single } = this.#terms[term] as TermSet;
    return { list: this.#segment.postings(single), firstPosting: index.firstPosting(single) };
  }

  /** Walks the rarest term and a neighbour of it, and checks the whole phrase where the two meet. */
  #walkPositions(index: PositionIndex): PostingList {
    const words = this.#terms.map((_, term) => this.#wordAt(index, term));
    const rarest = words.reduce(
      (best, { list }, i) => (list.length < (words[best]?.list.length ?? 0) ? i : best),
      0,
    );
    const step = rarest === 0 ? 1 : -1;
    const pair = [words[rarest] as WordPostings, words[rarest + step] as WordPostings] as const;
    return adjacentPostings(this.#segment, index, pair, step, (slot, position) =>
      this.#isPhraseAt(slot, position - rarest),
    );
  }

  /**
   * Whether the whole phrase, of which two words side by side are known, begins at token `position` of a
   * document, within one column. The tokens are read only if they can decide: they are not in the cache.
   */
  #isPhraseAt(slot: number, position: number): boolean {
    const terms = this.#terms;
    if (terms.length === 2 && this.#columns.length === 1) return true;
    if (position < 0) return false;
    const { tokens, layout, starts } = this.#segment;
    const start = (starts[slot * (layout.count + 1)] ?? 0) + position;
    for (let i = 0; terms.length > 2 && i < terms.length; i++)
      if (tokens[start + i] !== terms[i]?.single) return false;
    for (const column of this.#columns) {
      const { from, to } = columnTokens(this.#segment, slot, column);
      if (start >= from && start < to) return start + terms.length <= to;
    }
    return false;
  }

  #scanCandidates(): PostingList {
    const { packed: candidates, length: candidateCount } = this.#candidates();
    const packed = new Uint32Array(candidateCount);
    let length = 0;
    for (let i = 0; i < candidateCount; i++) {
      const slot = (candidates[i] ?? 0) >>> DETAIL_BITS;
      if (this.#segment.dead[slot] === 1) continue;
      const count = this.count(slot);
      if (count > 0) packed[length++] = posting(slot, count, this.#segment.lengths[slot] ?? 0);
    }
    return { packed, length };
  }

  #candidates(): PostingList {
    const listOf = ({ locals }: TermSet) => this.#segment.union(locals);
    // A prefix may match thousands of terms. The single terms alone narrow enough.
    const single = this.#terms.filter(({ isSeveral }) => !isSeveral);
    return intersectAll((single.length > 0 ? single : this.#terms).map(listOf));
  }

  /** Reads the positions of a plain word from the position index. False if they are not there. */
  #readPositions(slot: number, into: PositionList): boolean {
    const index = this.#index;
    if (index === undefined || !this.isWord) return false;
    const { single } = this.#terms[0] as TermSet;
    this.#wordPostings ??= this.#segment.postings(single);
    const list = this.#wordPostings;
    const current = (list.packed[this.#cursor] ?? 0) >>> DETAIL_BITS;
    const at = seek(list, slot, current <= slot ? this.#cursor : 0);
    const entry = list.packed[at] ?? 0;
    if (at >= list.length || entry >>> DETAIL_BITS !== slot) return false;
    this.#cursor = at;
    const document = this.#segment.starts[slot * (this.#segment.layout.count + 1)] ?? 0;
    const own = index.firstPosting(single) + at;
    let next = index.starts[own] ?? 0;
    const end = index.starts[own + 1] ?? 0;
    for (const column of this.#columns) {
      const { from, to } = columnTokens(this.#segment, slot, column);
      for (; next < end; next++) {
        const token = document + (index.positions[next] ?? 0);
        if (token >= to) break;
        into.push(positionOf(column, token - from));
      }
    }
    return true;
  }
}
