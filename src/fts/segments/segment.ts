/**
 * The interface of a segment, a part of the index that is still growing (live) or packed (frozen). A
 * segment has at most 2^15 document slots, so that one posting fits in 32 bits and each step of work on
 * it is short. Postings hold documents and frequencies. Phrases, NEAR, `^` and column filters read the
 * positions of words from the token numbers of the documents (`tokens`).
 */

/** The caller's id of a document. */
export type DocumentId = string | number;

/**
 * A posting is `slot << DETAIL_BITS | detail`. The detail is the frequency and the length of the document,
 * `frequency << LENGTH_BITS | length`, so that a score needs no other array. A greater length than MAX_LENGTH
 * is stored as MAX_LENGTH. A frequency that does not fit into its bits also uses those of the length:
 * `MANY | frequency`.
 */
export const DETAIL_BITS = 17;
export const MAX_SLOTS = 2 ** 15;
export const MAX_DETAIL = 2 ** DETAIL_BITS - 1;
export const LENGTH_BITS = 10;
export const MAX_LENGTH = 2 ** LENGTH_BITS - 1;
const MANY = 2 ** (DETAIL_BITS - 1);
const LEAST_MANY = MANY >>> LENGTH_BITS;
/** Greater frequencies are stored as this one. The exact one is counted in the tokens. */
export const MAX_FREQUENCY = MANY - 1;

export function posting(slot: number, frequency: number, length: number): number {
  const detail =
    frequency < LEAST_MANY
      ? (frequency << LENGTH_BITS) | Math.min(length, MAX_LENGTH)
      : MANY | Math.min(frequency, MAX_FREQUENCY);
  return (slot << DETAIL_BITS) | detail;
}

export const frequencyOf = (entry: number) =>
  (entry & MANY) === 0 ? (entry & MAX_DETAIL) >>> LENGTH_BITS : entry & MAX_FREQUENCY;

/** The length of the document; MAX_LENGTH if the posting does not contain it. */
export const lengthIn = (entry: number) => ((entry & MANY) === 0 ? entry & MAX_LENGTH : MAX_LENGTH);

/** Postings or matches, ascending by slot. Only the first `length` entries count. */
export interface PostingList {
  readonly packed: Uint32Array;
  readonly length: number;
}

/**
 * The positions of every term in the default columns, as indexes into the tokens of its document. Those of
 * posting i of a term begin at `positions[starts[firstPosting(term) + i]]` and end at the next start.
 */
export interface PositionIndex {
  readonly positions: Uint16Array | Uint32Array;
  readonly starts: Uint32Array;
  /** Index in `starts` of a term's first posting. */
  firstPosting(local: number): number;
}

export const NO_POSTINGS: PostingList = { packed: new Uint32Array(0), length: 0 };

/** The columns of an index, the same in all of its segments. */
export interface Layout {
  /** Columns of a document, including the hidden one for CJK bigrams. */
  readonly count: number;
  /** Mask of the columns that count for frequencies, lengths and the rank. */
  readonly defaults: number;
}

export interface Segment {
  readonly layout: Layout;
  /** Slots in use, deleted documents included. */
  readonly size: number;
  /** 1 for a deleted document. */
  readonly dead: Uint8Array;
  /** The slots of the deleted documents, ascending. */
  readonly deadSlots: number[];
  readonly ids: ArrayLike<DocumentId>;
  /** Greater is newer and comes first among equal scores. */
  readonly orders: Float64Array;
  /** Tokens in the default columns of each document. */
  readonly lengths: Uint32Array;
  /** Local term numbers of the documents' tokens, document after document, column after column. */
  readonly tokens: Uint16Array | Uint32Array;
  /** Column c of slot s begins at `tokens[starts[s * (count + 1) + c]]` and ends at the next start. */
  readonly starts: Uint32Array;
  /** Words with symbols (symbol-chunks.ts): those of slot s begin at `symbols[symbolStarts[s]]`. */
  readonly symbols: Uint8Array;
  readonly symbolStarts: Uint32Array;
  /** All local term numbers are lower. */
  readonly termCount: number;

  /** The local number of a term of the dictionary; -1 if the segment does not contain it. */
  localTerm(term: number): number;
  /** The dictionary's number of each local term; `undefined` if the two numbers are the same. */
  readonly globals: Uint32Array | undefined;
  /** Frequencies count the default columns only. A document with the term in other columns alone has 0. */
  postings(local: number): PostingList;
  /** The documents of several terms. The frequencies of a document are added. */
  union(locals: readonly number[]): PostingList;
  /** Whether `postings(local)` may have a frequency of 0. */
  hasZeros(local: number): boolean;
  /** `undefined` in a segment without position lists; then positions are read from `tokens`. */
  readonly positions: PositionIndex | undefined;
}

/** The tokens of the documents before a slot. */
export const tokensBefore = ({ starts, layout }: Segment, slot: number) =>
  starts[slot * (layout.count + 1) - 1] ?? 0;

/** The range in `tokens` of one column of one document. */
export function columnTokens(segment: Segment, slot: number, column: number) {
  const at = slot * (segment.layout.count + 1) + column;
  return { from: segment.starts[at] ?? 0, to: segment.starts[at + 1] ?? 0 };
}
