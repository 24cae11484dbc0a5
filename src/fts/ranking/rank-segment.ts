/**
 * Scores the matches of one segment and offers them to the top: the best documents of all segments. Most
 * documents cannot reach the top, and these functions detect that before they compute a score. The lists
 * also have deleted documents; `offer` leaves them out.
 */
import type { TopK } from '../../base/arrays/top-k.js';
import type { SegmentQuery } from '../matching/segment-query.js';
import { countLive, countRepeats, intersect, slotAt, unite } from '../segments/posting-lists.js';
import {
  DETAIL_BITS,
  type DocumentId,
  LENGTH_BITS,
  lengthIn,
  MAX_DETAIL,
  MAX_LENGTH,
  MAX_SLOTS,
  NO_POSTINGS,
  type PostingList,
  type Segment,
} from '../segments/segment.js';
import { lengthNorm, maxTermScore, termScore } from './bm25.js';

/** A document that matches. */
export interface ScoredDocument {
  readonly segment: Segment;
  readonly slot: number;
  /** Greater is better. */
  readonly score: number;
}

const orderOf = ({ segment, slot }: ScoredDocument) => segment.orders[slot] ?? 0;
const idOf = ({ segment, slot }: ScoredDocument) => segment.ids[slot] ?? 0;

/**
 * Of equal scores the newer document comes first, and of equal orders the greater id: pages of one query need
 * one order. Orders are read only for equal scores, because they are not in the processor's cache.
 */
export const bestFirst = (a: ScoredDocument, b: ScoredDocument) =>
  b.score - a.score || orderOf(b) - orderOf(a) || (idOf(b) > idOf(a) ? 1 : -1);

/** What all segments of a query share. */
export interface Ranking {
  /** By phrase. */
  readonly idfs: readonly number[];
  /** Tokens of a document. */
  readonly averageLength: number;
  readonly top: TopK<ScoredDocument>;
  /**
   * By phrase and frequency: postings of this detail and greater ones, whose documents are longer, score
   * too low.
   */
  readonly limits: Uint32Array[];
}

/** If all lists together are this much longer than the shortest, it is ranked first: it may be enough. */
const LEAD_RATIO = 4;

const isFilled = ({ length }: PostingList) => length > 0;

/** After so many documents, each with all phrases of a query, `rankSame` pauses. */
const DOCUMENTS_A_STEP = 256;

/** 1 for documents that `rankOnePhrase` leaves out. All 0 between two uses. */
const leftOut = new Uint8Array(MAX_SLOTS);

/**
 * An array of sums by slot, all 0. A search takes it, and returns it at its end. A search that runs meanwhile
 * makes its own.
 */
let spareSums: Float64Array | undefined;

/** Offers a document to the top, unless it comes after the last one there or is deleted. */
function offer({ segment }: SegmentQuery, slot: number, score: number, { top }: Ranking): void {
  const { last } = top;
  if (last !== undefined && score < last.score) return;
  if (segment.deadSlots.length === 0 || segment.dead[slot] !== 1)
    top.offer({ segment, slot, score });
}

/**
 * Offers the documents of a query that ranks by one phrase. A longer document of the same frequency never
 * scores higher, so most of them cost one comparison with the shortest that was too long for the top.
 */
function rankOnePhrase(
  query: SegmentQuery,
  phrase: number,
  { packed, length }: PostingList,
  ranking: Ranking,
): void {
  const { idfs, averageLength, top, limits: tables } = ranking;
  const phraseIdf = idfs[phrase] ?? 0;
  tables[phrase] ??= new Uint32Array((MAX_DETAIL >>> LENGTH_BITS) + 1).fill(MAX_DETAIL + 1);
  const limits = tables[phrase];
  let minScore = top.last?.score ?? 0;
  for (let i = 0; i < length; i++) {
    const entry = packed[i] as number;
    const detail = entry & MAX_DETAIL;
    if (detail >= (limits[detail >>> LENGTH_BITS] as number)) continue;
    const score = termScore(
      phraseIdf,
      query.frequency(phrase, entry),
      lengthNorm(query.lengthOf(entry), averageLength),
    );
    if (score < minScore) {
      if (lengthIn(entry) < MAX_LENGTH) limits[detail >>> LENGTH_BITS] = detail;
    } else if (leftOut[entry >>> DETAIL_BITS] === 0) {
      offer(query, entry >>> DETAIL_BITS, score, ranking);
      minScore = top.last?.score ?? 0;
    }
  }
}

/**
 * Offers the documents of `lists`, one list for each phrase, except those of `done`. The scores of
 * the phrases are added one after another, because the order of the additions decides the last bits.
 */
function* rankSums(
  query: SegmentQuery,
  lists: readonly PostingList[],
  ranking: Ranking,
  done: PostingList = NO_POSTINGS,
): Generator<void, void> {
  const { idfs, averageLength, top } = ranking;
  const sums = spareSums ?? new Float64Array(MAX_SLOTS);
  spareSums = undefined;
  for (let i = 0; i < done.length; i++)
    sums[(done.packed[i] ?? 0) >>> DETAIL_BITS] = Number.NEGATIVE_INFINITY;
  for (let phrase = 0; phrase < lists.length; phrase++) {
    const { packed, length } = lists[phrase] as PostingList;
    const phraseIdf = idfs[phrase] ?? 0;
    for (let i = 0; i < length; i++) {
      const entry = packed[i] as number;
      const slot = entry >>> DETAIL_BITS;
      const norm = lengthNorm(query.lengthOf(entry), averageLength);
      const score = termScore(phraseIdf, query.frequency(phrase, entry), norm);
      sums[slot] = (sums[slot] as number) + score;
    }
    yield;
  }
  for (const { packed, length } of lists) {
    let bound = top.last?.score ?? Number.MIN_VALUE;
    for (let i = 0; i < length; i++) {
      const slot = (packed[i] ?? 0) >>> DETAIL_BITS;
      const score = sums[slot] as number;
      // 0 if the document was in an earlier list too. Most others end here as well.
      sums[slot] = 0;
      if (score < bound) continue;
      offer(query, slot, score, ranking);
      bound = top.last?.score ?? bound;
    }
  }
  for (let i = 0; i < done.length; i++) sums[(done.packed[i] ?? 0) >>> DETAIL_BITS] = 0;
  spareSums = sums;
}

/**
 * The lists of the essential phrases: a document reaches the top only if it has at least one of them. The
 * others are the phrases of the lowest idf whose maximum scores together are less than the lowest score of
 * the top (MaxScore: Turtle and Flood 1995).
 */
function essentialLists(lists: readonly PostingList[], { idfs, top }: Ranking): PostingList[] {
  const minScore = top.last?.score ?? 0;
  let maxScore = 0;
  return [...lists.keys()]
    .filter((phrase) => lists[phrase]?.length !== 0)
    .sort((a, b) => (idfs[a] ?? 0) - (idfs[b] ?? 0))
    .filter((phrase) => {
      maxScore += maxTermScore(idfs[phrase] ?? 0);
      return maxScore >= minScore;
    })
    .map((phrase) => lists[phrase] ?? NO_POSTINGS);
}

/** Offers the documents of `lists` that can reach the top, and as few others as possible. */
function* rankAny(
  query: SegmentQuery,
  lists: readonly PostingList[],
  ranking: Ranking,
): Generator<void, void> {
  const all = lists.reduce((sum, { length }) => sum + length, 0);
  let lead = essentialLists(lists, ranking);
  let done = NO_POSTINGS;
  const rarest = lead.at(-1);
  if (rarest === undefined) return;
  if (lead.length > 1 && rarest.length * LEAD_RATIO < all) {
    yield* rankSums(query, among(lists, rarest), ranking);
    done = rarest;
    lead = essentialLists(lists, ranking);
    if (lead.length < 2) return;
  }
  const bound = lead.reduce((sum, { length }) => sum + length, 0);
  const isMost = lead.length === lists.length || bound * 2 > all;
  yield* rankSums(query, isMost ? lists : among(lists, unite(lead)), ranking, done);
}

/** The entries of the lists whose document is in `candidates`. */
const among = (lists: readonly PostingList[], candidates: PostingList) =>
  lists.map((list) => (list === candidates ? list : intersect(list, candidates)));

/** Offers the documents of several lists with the same documents, as AND and NEAR have them. Others are empty. */
function* rankSame(
  query: SegmentQuery,
  lists: readonly PostingList[],
  ranking: Ranking,
): Generator<void, void> {
  const documents = lists.find(isFilled) ?? NO_POSTINGS;
  for (let from = 0; from < documents.length; from += DOCUMENTS_A_STEP) {
    if (from > 0) yield;
    rankRange(query, documents, lists, ranking, from);
  }
}

/** A separate function, because V8 allocates each fractional number in a generator and at each call. */
function rankRange(
  query: SegmentQuery,
  documents: PostingList,
  lists: readonly PostingList[],
  ranking: Ranking,
  from: number,
): void {
  const { idfs, averageLength, top } = ranking;
  const to = Math.min(documents.length, from + DOCUMENTS_A_STEP);
  let bound = top.last?.score ?? 0;
  for (let i = from; i < to; i++) {
    const entry = documents.packed[i] as number;
    const norm = lengthNorm(query.lengthOf(entry), averageLength);
    let score = 0;
    for (let phrase = 0; phrase < lists.length; phrase++) {
      const { packed, length } = lists[phrase] as PostingList;
      if (length === 0) continue;
      const frequency = query.frequency(phrase, packed[i] as number);
      score += termScore(idfs[phrase] as number, frequency, norm);
    }
    if (score < bound) continue;
    offer(query, entry >>> DETAIL_BITS, score, ranking);
    bound = top.last?.score ?? bound;
  }
}

/**
 * Offers the documents that both of two phrases have, and for an OR then the others of each. Returns how many
 * both have.
 */
function* rankTwo(
  query: SegmentQuery,
  [first, second]: readonly [PostingList, PostingList],
  ranking: Ranking,
): Generator<void, number> {
  const shared = intersect(first, second);
  yield* rankSame(query, [shared, intersect(second, shared)], ranking);
  const count = countLive(query.segment, shared);
  if (query.plan.kind === 'and') return count;
  for (let i = 0; i < shared.length; i++) leftOut[slotAt(shared, i)] = 1;
  const canReach = (phrase: number) =>
    maxTermScore(ranking.idfs[phrase] ?? 0) >= (ranking.top.last?.score ?? 0);
  const isFirstRarer = first.length < second.length;
  if (isFirstRarer) rankOnePhrase(query, 0, first, ranking);
  if (canReach(1)) rankOnePhrase(query, 1, second, ranking);
  if (!isFirstRarer && canReach(0)) rankOnePhrase(query, 0, first, ranking);
  for (let i = 0; i < shared.length; i++) leftOut[slotAt(shared, i)] = 0;
  return count;
}

/** Offers the documents of `lists`; `documents` is the number of different ones, if that is known. */
function* rank(
  query: SegmentQuery,
  lists: readonly PostingList[],
  ranking: Ranking,
  documents?: number,
) {
  const only = lists.findIndex(isFilled);
  if (only < 0) return;
  if (lists.findLastIndex(isFilled) === only)
    rankOnePhrase(query, only, lists[only] ?? NO_POSTINGS, ranking);
  else if (lists.every(({ length }) => length === 0 || length === documents))
    yield* rankSame(query, lists, ranking);
  else yield* rankAny(query, lists, ranking);
}

/**
 * Offers the matches of one segment to the top. Returns the number of matches. For an OR of phrases without
 * a filter, returns the difference between this number and the sum of the hits of each phrase: 0 or less,
 * because the sum has a document once for each of its phrases.
 */
export function* rankSegment(
  query: SegmentQuery,
  ranking: Ranking,
  filter: ((id: DocumentId) => boolean) | undefined,
): Generator<void, number> {
  const { segment, hits } = query;
  const kind = filter === undefined ? query.plan.kind : undefined;
  const [first = NO_POSTINGS, second] = hits;
  if (kind === 'or' && second === undefined) {
    rankOnePhrase(query, 0, first, ranking);
    return 0;
  }
  if (kind !== undefined && kind !== 'not' && second !== undefined && hits.length === 2) {
    const both = yield* rankTwo(query, [first, second], ranking);
    return kind === 'and' ? both : -both;
  }
  if (kind === 'or') {
    yield* rank(query, hits, ranking);
    return -countRepeats(hits, segment);
  }
  const { documents, counted } = yield* query.match(
    filter && ((slot) => segment.dead[slot] !== 1 && filter(segment.ids[slot] ?? 0)),
  );
  if (documents.length === 0) return 0;
  yield* rank(query, counted, ranking, documents.length);
  return filter === undefined ? countLive(segment, documents) : documents.length;
}
