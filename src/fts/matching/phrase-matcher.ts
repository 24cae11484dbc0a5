/**
 * Finds a phrase in one segment: which documents contain it, how often and where. There are four ways:
 *
 * - One term: its postings.
 * - One term in some of the default columns: its postings, and the tokens of the shorter columns.
 * - Several plain terms, but not very many: the position lists of a frozen segment (position-walk.ts).
 * - Everything else (prefixes within a phrase, `^`, column filters of phrases, live segments): the tokens of
 *   candidate documents (matcher.ts).
 */
import { seek, slotAt } from '../segments/posting-lists.js';
import {
  columnTokens,
  DETAIL_BITS,
  frequencyOf,
  MAX_FREQUENCY,
  NO_POSTINGS,
  type PositionIndex,
  type PostingList,
  posting,
  type Segment,
  tokensBefore,
} from '../segments/segment.js';
import { LONG_PHRASE, Matcher } from './matcher.js';
import { type PositionList, positionOf } from './near.js';
import { bitsOf, postingsOf, type ResolvedPhrase, type TermSet } from './phrase-terms.js';
import { adjacentPostings, nearPostings, type WordPostings } from './position-walk.js';

export class PhraseMatcher extends Matcher {
  /** One term, anywhere in the default columns: what postings count. */
  readonly #isOneTerm: boolean;
  /** Only single terms, anywhere in the default columns: what position lists contain. */
  readonly #isPlain: boolean;
  /** One term in some of the default columns: the other ones. */
  readonly #otherColumns: readonly number[];
  /** Set once a whole segment is searched. For single documents, reading their tokens is faster. */
  #index: PositionIndex | undefined;
  #word: WordPostings | undefined;
  /** The posting of the last document asked for. Documents are asked for in ascending order. */
  #cursor = 0;

  constructor(segment: Segment, phrase: ResolvedPhrase) {
    super(segment, phrase);
    const { defaults } = segment.layout;
    const isAnywhere = !phrase.first && phrase.columns === defaults;
    this.#isOneTerm = isAnywhere && phrase.termsAt.length === 1;
    this.#isPlain = isAnywhere && !this.terms.some(({ hasSeveral }) => hasSeveral);
    const isWithin = !phrase.first && (phrase.columns & ~defaults) === 0;
    const isNarrowed = isWithin && !isAnywhere && phrase.termsAt.length === 1;
    this.#otherColumns = isNarrowed ? bitsOf(defaults & ~phrase.columns) : [];
  }

  override hits(): PostingList {
    if (!this.canMatch) return NO_POSTINGS;
    if (this.#isOneTerm) return postingsOf(this.segment, this.terms[0] as TermSet);
    if (this.#otherColumns.length > 0) return this.#narrowedHits(this.terms[0] as TermSet);
    if (this.#isPlain && this.length <= LONG_PHRASE) this.#index = this.segment.positions;
    return this.#index === undefined ? super.hits() : this.#walkPositions(this.#index);
  }

  override addPositions(slot: number, into: PositionList): void {
    if (!this.#readPositions(slot, into)) super.addPositions(slot, into);
  }

  protected read(slot: number, into?: PositionList): number {
    return this.#readIn(this.columns, slot, into);
  }

  /**
   * The postings know how often all default columns have the term. If the other columns of a document are
   * shorter, as the title is beside a long content, only these are read.
   */
  #narrowedHits(term: TermSet): PostingList {
    const { dead, lengths } = this.segment;
    const list = postingsOf(this.segment, term);
    const packed = new Uint32Array(list.length);
    let length = 0;
    for (let i = 0; i < list.length; i++) {
      const slot = slotAt(list, i);
      if (dead[slot] === 1) continue;
      const tokens = lengths[slot] ?? 0;
      const all = frequencyOf(list.packed[i] ?? 0);
      const isOwnLonger = all < MAX_FREQUENCY && 2 * this.#tokensOf(slot) > tokens;
      const count = isOwnLonger ? all - this.#readIn(this.#otherColumns, slot) : this.read(slot);
      if (count > 0) packed[length++] = posting(slot, count, tokens);
    }
    return { packed, length };
  }

  /** The number of tokens of a document in the columns that are searched. */
  #tokensOf(slot: number): number {
    let count = 0;
    for (const column of this.columns) {
      const { from, to } = columnTokens(this.segment, slot, column);
      count += to - from;
    }
    return count;
  }

  #readIn(columns: readonly number[], slot: number, into?: PositionList): number {
    let count = 0;
    for (const column of columns) {
      const { from, to } = columnTokens(this.segment, slot, column);
      this.forEachStart(from, to, (start) => {
        count++;
        into?.push(positionOf(column, start - from));
      });
    }
    return count;
  }

  /**
   * The documents in which this and another plain word are within a NEAR, and such instances of each word.
   * `undefined` if either is not a plain word or the segment has no position lists.
   */
  near(other: PhraseMatcher, distance: number): [PostingList, PostingList] | undefined {
    const index = this.segment.positions;
    if (index === undefined || !this.isWord || !other.isWord) return undefined;
    this.#index = index;
    other.#index = index;
    const words = [this.#wordAt(index, 0), other.#wordAt(index, 0)] as const;
    return nearPostings(this.segment, index, words, this.columns, 1 + distance);
  }

  /** Whether the phrase is one term or none in this segment, anywhere in the default columns. */
  get isWord(): boolean {
    return this.#isOneTerm && this.#isPlain;
  }

  /** Whether some documents have a term of this phrase only in columns that are not default columns. */
  get hasZeros(): boolean {
    return this.terms.some(({ hasZeros }) => hasZeros);
  }

  #wordAt(index: PositionIndex, term: number): WordPostings {
    const { single } = this.terms[term] as TermSet;
    return { list: this.segment.postings(single), firstPosting: index.firstPosting(single) };
  }

  /** Walks the rarest term and a neighbour of it, and checks the whole phrase where the two meet. */
  #walkPositions(index: PositionIndex): PostingList {
    const words = this.terms.map((_, term) => this.#wordAt(index, term));
    const rarest = words.reduce(
      (best, { list }, i) => (list.length < (words[best]?.list.length ?? 0) ? i : best),
      0,
    );
    const step = rarest === 0 ? 1 : -1;
    const pair = [words[rarest] as WordPostings, words[rarest + step] as WordPostings] as const;
    return adjacentPostings(this.segment, index, pair, step, (slot, position) =>
      this.#isPhraseAt(slot, position - rarest),
    );
  }

  /**
   * Whether the whole phrase begins at token `position` of a document, within one column. Two neighbouring
   * words of it are known to match. The tokens are read only if necessary, because they are not in the
   * processor's cache.
   */
  #isPhraseAt(slot: number, position: number): boolean {
    const { length } = this;
    if (length === 2 && this.columns.length === 1) return true;
    if (position < 0) return false;
    const start = tokensBefore(this.segment, slot) + position;
    return (length === 2 || this.hasTermsAt(start)) && this.positionAt(slot, start) !== undefined;
  }

  /** Reads the positions of a plain word from the position index. False if they are not there. */
  #readPositions(slot: number, into: PositionList): boolean {
    const index = this.#index;
    if (index === undefined || !this.isWord) return false;
    this.#word ??= this.#wordAt(index, 0);
    const { list, firstPosting } = this.#word;
    const current = (list.packed[this.#cursor] ?? 0) >>> DETAIL_BITS;
    const at = seek(list, slot, current <= slot ? this.#cursor : 0);
    const entry = list.packed[at] ?? 0;
    if (at >= list.length || entry >>> DETAIL_BITS !== slot) return false;
    this.#cursor = at;
    const document = tokensBefore(this.segment, slot);
    const own = firstPosting + at;
    let next = index.starts[own] ?? 0;
    const end = index.starts[own + 1] ?? 0;
    for (const column of this.columns) {
      const { from, to } = columnTokens(this.segment, slot, column);
      for (; next < end; next++) {
        const token = document + (index.positions[next] ?? 0);
        if (token >= to) break;
        into.push(positionOf(column, token - from));
      }
    }
    return true;
  }
}
