/**
 * Scores the matches of one segment and offers them to the best of all segments. Most documents cannot
 * reach the top, and the ways to rank here find that out before they compute a score. Deleted
 * documents are in the lists that are ranked, and are left out where a document is offered.
 */
import type { TopK } from '../../base/top-k.js';
import type { SegmentQuery } from '../matching/segment-query.js';
import { countLive, countUnion, intersect, unite } from '../segments/posting-lists.js';
import {
  type DocumentId,
  FREQUENCY_BITS,
  MAX_FREQUENCY,
  MAX_SLOTS,
  NO_POSTINGS,
  type PostingList,
} from '../segments/segment.js';
import { type LengthNorms, leastFrequency, maxTermScore, termScore } from './bm25.js';

/** A document that matches. */
export interface ScoredDocument {
  readonly id: DocumentId;
  /** Greater is better. */
  readonly score: number;
  /** Greater is newer and comes first among equal scores. */
  readonly order: number;
}

/** What all segments of a query share. */
export interface Ranking {
  /** By phrase. */
  readonly idfs: readonly number[];
  readonly norms: LengthNorms;
  readonly top: TopK<ScoredDocument>;
  /** By phrase and frequency: documents of this length and longer ones score too low. */
  readonly tooLong: Float64Array[];
}

/** Frequencies below this one have a greatest length in `rankOnePhrase`. */
const TABLED_FREQUENCIES = 64;
/** A list that the others exceed this much is ranked first, because they may then be needless. */
const LEAD_RATIO = 4;

/** After so many documents, each with all phrases of a query, `rankSame` pauses. */
const DOCUMENTS_A_STEP = 256;

/** Sums by slot, all 0 between two uses. A search that yields keeps it, and another makes its own. */
let spareSums: Float64Array | undefined;

/** Offers a document to the top, unless it comes after the last one there or is deleted. */
function offer({ segment }: SegmentQuery, slot: number, score: number, { top }: Ranking): void {
  const { last } = top;
  if (last !== undefined && score < last.score) return;
  const order = segment.orders[slot] ?? 0;
  if (last !== undefined && score === last.score && order <= last.order) return;
  if (segment.dead[slot] !== 1) top.offer({ score, order, id: segment.ids[slot] ?? 0 });
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
  const { idfs, norms, top, tooLong: tables } = ranking;
  const { lengths } = query.segment;
  const phraseIdf = idfs[phrase] ?? 0;
  tables[phrase] ??= new Float64Array(TABLED_FREQUENCIES).fill(Infinity);
  const tooLong = tables[phrase];
  let { last } = top;
  const leastNow = () =>
    Math.min(leastFrequency(phraseIdf, last?.score ?? 0, norms), MAX_FREQUENCY);
  let least = leastNow();
  for (let i = 0; i < length; i++) {
    const entry = packed[i] ?? 0;
    const stored = entry & MAX_FREQUENCY;
    // The lengths of most documents are not in the processor's cache.
    if (stored < least) continue;
    const slot = entry >>> FREQUENCY_BITS;
    const tokens = lengths[slot] ?? 0;
    if (stored < TABLED_FREQUENCIES && tokens >= (tooLong[stored] as number)) continue;
    const frequency = stored === MAX_FREQUENCY ? query.recount(phrase, slot) : stored;
    const score = termScore(phraseIdf, frequency, norms.of(tokens));
    if (last !== undefined && score < last.score) {
      if (stored < TABLED_FREQUENCIES) tooLong[stored] = tokens;
      continue;
    }
    offer(query, slot, score, ranking);
    if (top.last === last) continue;
    last = top.last;
    least = leastNow();
  }
}

/**
 * Offers the documents of `lists`, one list for each phrase, but those of `done`. Phrases are added one
 * after another, because the order of the additions decides the last bits.
 */
function* rankSums(
  query: SegmentQuery,
  lists: readonly PostingList[],
  ranking: Ranking,
  done: PostingList = NO_POSTINGS,
): Generator<void, void> {
  const { idfs, norms, top } = ranking;
  const { lengths } = query.segment;
  const sums = spareSums ?? new Float64Array(MAX_SLOTS);
  spareSums = undefined;
  for (let i = 0; i < done.length; i++)
    sums[(done.packed[i] ?? 0) >>> FREQUENCY_BITS] = Number.NEGATIVE_INFINITY;
  for (let phrase = 0; phrase < lists.length; phrase++) {
    const { packed, length } = lists[phrase] as PostingList;
    const phraseIdf = idfs[phrase] ?? 0;
    for (let i = 0; i < length; i++) {
      const entry = packed[i] ?? 0;
      const slot = entry >>> FREQUENCY_BITS;
      const stored = entry & MAX_FREQUENCY;
      const frequency = stored === MAX_FREQUENCY ? query.recount(phrase, slot) : stored;
      const score = termScore(phraseIdf, frequency, norms.of(lengths[slot] ?? 0));
      sums[slot] = (sums[slot] as number) + score;
    }
    yield;
  }
  for (const { packed, length } of lists) {
    let bound = top.last?.score ?? Number.MIN_VALUE;
    for (let i = 0; i < length; i++) {
      const slot = (packed[i] ?? 0) >>> FREQUENCY_BITS;
      const score = sums[slot] as number;
      // 0 if the document was in an earlier list too. Most others end here as well.
      sums[slot] = 0;
      if (score < bound) continue;
      offer(query, slot, score, ranking);
      bound = top.last?.score ?? bound;
    }
  }
  for (let i = 0; i < done.length; i++) sums[(done.packed[i] ?? 0) >>> FREQUENCY_BITS] = 0;
  spareSums = sums;
}

/**
 * The phrases that a document must have one of to reach the top. The phrases of the lowest idf whose
 * maximum scores together stay below it cannot lift a document there alone (MaxScore: Turtle and Flood 1995).
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

/** Offers the documents of `lists`, but of those that cannot reach the top as few as possible. */
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

/** Offers the documents of several lists with the same documents, as AND and NEAR have them. */
function* rankSame(
  query: SegmentQuery,
  lists: readonly PostingList[],
  ranking: Ranking,
): Generator<void, void> {
  const { idfs, norms } = ranking;
  const { lengths } = query.segment;
  const filled = [...lists.keys()].filter((phrase) => lists[phrase]?.length !== 0);
  const { packed, length } = lists[filled[0] ?? 0] as PostingList;
  for (let i = 0; i < length; i++) {
    const slot = (packed[i] ?? 0) >>> FREQUENCY_BITS;
    const norm = norms.of(lengths[slot] ?? 0);
    let score = 0;
    for (const phrase of filled) {
      const stored = (lists[phrase]?.packed[i] ?? 0) & MAX_FREQUENCY;
      const frequency = stored === MAX_FREQUENCY ? query.recount(phrase, slot) : stored;
      score += termScore(idfs[phrase] ?? 0, frequency, norm);
    }
    offer(query, slot, score, ranking);
    if (i % DOCUMENTS_A_STEP === 0) yield;
  }
}

/** Offers the documents of `lists`; `documents` is the number of different ones, if that is known. */
function* rank(
  query: SegmentQuery,
  lists: readonly PostingList[],
  ranking: Ranking,
  documents?: number,
) {
  const isFilled = ({ length }: PostingList) => length > 0;
  const only = lists.findIndex(isFilled);
  if (only < 0) return;
  if (lists.findLastIndex(isFilled) === only)
    rankOnePhrase(query, only, lists[only] ?? NO_POSTINGS, ranking);
  else if (lists.every(({ length }) => length === 0 || length === documents))
    yield* rankSame(query, lists, ranking);
  else yield* rankAny(query, lists, ranking);
}

/** Offers the matches of one segment to the top. Returns how many matches there are. */
export function* rankSegment(
  query: SegmentQuery,
  ranking: Ranking,
  filter: ((id: DocumentId) => boolean) | undefined,
): Generator<void, number> {
  const { segment, hits, counts } = query;
  if (query.isAnyOf && filter === undefined) {
    const [only = NO_POSTINGS] = hits;
    if (hits.length === 1) rankOnePhrase(query, 0, only, ranking);
    else yield* rank(query, hits, ranking);
    return hits.length === 1 ? (counts[0] ?? 0) : countUnion(hits, segment.deadSlots);
  }
  const { documents, counted } = yield* query.match(
    filter && ((slot) => segment.dead[slot] !== 1 && filter(segment.ids[slot] ?? 0)),
  );
  if (documents.length === 0) return 0;
  yield* rank(query, counted, ranking, documents.length);
  return filter === undefined ? countLive(segment, documents) : documents.length;
}
