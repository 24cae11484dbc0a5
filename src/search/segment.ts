/**
 * What a query sees of a part of the index, whether it is still growing or packed. A segment holds
 * at most 2^14 document slots, so that one posting fits 32 bits and all work on one is short.
 * Postings name documents and count them; where a word stands is read from the documents' own
 * token numbers (`tokens`), which is what phrases, NEAR, `^` and column filters are checked on.
 */

/** An external document id. */
export type DocumentId = string | number;

/** A posting is `slot << FREQUENCY_BITS | frequency`. */
export const FREQUENCY_BITS = 18;
export const MAX_SLOTS = 2 ** 14;
/** A frequency this large was cut: count it in the tokens. */
export const MAX_FREQUENCY = 2 ** FREQUENCY_BITS - 1;

/** Postings or matches, ascending by slot; only the first `length` entries count. */
export interface PostingList {
  readonly packed: Uint32Array;
  readonly length: number;
}

/**
 * The places of every term in the default columns, as indexes into the tokens of its document.
 * Those of posting i of a term are `places[starts[first(term) + i]]` and as many as its frequency says.
 */
export interface Positions {
  readonly places: Uint16Array | Uint32Array;
  readonly starts: Uint32Array;
  /** Index into `starts` of a term's first posting. */
  first(local: number): number;
}

export const NO_POSTINGS: PostingList = { packed: new Uint32Array(0), length: 0 };

/** How the columns of an index are laid out in every segment. */
export interface Layout {
  /** Columns a document has, the hidden one of CJK pairs included. */
  readonly count: number;
  /** Mask of the columns that count for frequencies, lengths and the rank. */
  readonly defaults: number;
}

export interface Segment {
  readonly layout: Layout;
  /** Slots in use, deleted documents included. */
  readonly size: number;
  readonly deadCount: number;
  /** 1 for a deleted document. */
  readonly dead: Uint8Array;
  readonly ids: ArrayLike<DocumentId>;
  /** Greater is newer: what breaks ties. */
  readonly orders: Float64Array;
  /** Tokens of each document's default columns. */
  readonly lengths: Uint32Array;
  /** Token numbers of the documents, one after another, column by column. */
  readonly tokens: Uint16Array | Uint32Array;
  /** Column c of slot s is `tokens[starts[s * (count + 1) + c]]` up to the next start. */
  readonly starts: Uint32Array;
  /** Words with symbols (symbols.ts): those of slot s are `symbols[symbolStarts[s]]` up to the next start. */
  readonly symbols: Uint8Array;
  readonly symbolStarts: Uint32Array;
  /** Exclusive bound of this segment's token numbers. */
  readonly termCount: number;

  /** This segment's number for a term of the dictionary; -1 if it has no such term. */
  localTerm(term: number): number;
  /** The dictionary's number of each of this segment's; undefined where they are the same. */
  readonly globals: Uint32Array | undefined;
  /** The dictionary's number for this segment's. */
  globalTerm(local: number): number;
  /** Frequencies count default columns only; a document that holds the term elsewhere has 0. */
  postings(local: number): PostingList;
  /** Whether `postings(local)` may have an entry of frequency 0. */
  hasZeros(local: number): boolean;
  /** Where the terms of postings stand, if the segment keeps that; otherwise the tokens tell. */
  readonly positions: Positions | undefined;
  /** Deletes a document; returns false if it was deleted before. */
  kill(slot: number): boolean;
}

/** The tokens of one column of one document. */
export function columnTokens(segment: Segment, slot: number, column: number) {
  const at = slot * (segment.layout.count + 1) + column;
  return { from: segment.starts[at] ?? 0, to: segment.starts[at + 1] ?? 0 };
}
