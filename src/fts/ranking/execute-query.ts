/**
 * Executes a parsed query over all segments in two passes, because the rank demands it: the first
 * pass counts the documents of every phrase in all segments, the second scores the matches. Both
 * are generators that pause between bounded steps, so that the caller can yield or cancel.
 */
import { AppError } from '../../base/errors.js';
import { TopK } from '../../base/top-k.js';
import { type ResolvedPhrase, resolvePhrase } from '../matching/phrase-terms.js';
import {
  type ExecutionPlan,
  type SegmentMatches,
  SegmentQuery,
} from '../matching/segment-query.js';
import { querySyntaxError } from '../query/lexer.js';
import { type Phrase, phrasesOf, type QueryNode } from '../query/tree.js';
import { GALLOP_RATIO, intersect, seek, unite } from '../segments/posting-lists.js';
import {
  type DocumentId,
  FREQUENCY_BITS,
  MAX_FREQUENCY,
  NO_POSTINGS,
  type PostingList,
} from '../segments/segment.js';
import type { SegmentStore } from '../segments/segment-store.js';
import { idf, type LengthNorms, leastFrequency, maxTermScore, termScore } from './bm25.js';

/** The prefixes of one query may stand for this many terms in total. */
const MAX_EXPANSIONS = 2 ** 20;

export interface ExecuteOptions {
  readonly limit: number;
  readonly offset: number;
  readonly filter: ((id: DocumentId) => boolean) | undefined;
}

/** A document that matches. */
export interface ScoredDocument {
  readonly id: DocumentId;
  /** Greater is better. */
  readonly score: number;
  /** Greater is newer and comes first among equal scores. */
  readonly order: number;
}

export interface QueryResult {
  /** All matches, whatever the limit. */
  readonly total: number;
  /** Best first. */
  readonly page: readonly ScoredDocument[];
  readonly queries: readonly SegmentQuery[];
}

const bestFirst = (a: ScoredDocument, b: ScoredDocument) => b.score - a.score || b.order - a.order;

/** Looks up the terms of a query. Equal phrases become the same object. */
function planQuery(root: QueryNode, store: SegmentStore): ExecutionPlan {
  const expansions = new Map<string, readonly number[]>();
  let expanded = 0;
  const expand = (prefix: string) => {
    const known = expansions.get(prefix);
    if (known !== undefined) return known;
    const terms = store.dictionary.startingWith(prefix);
    expanded += terms.length;
    if (expanded > MAX_EXPANSIONS)
      throw querySyntaxError('The prefixes of this query match too many different words', 0);
    expansions.set(prefix, terms);
    return terms;
  };
  const resolved = new Map<string, ResolvedPhrase>();
  const resolve = (phrase: Phrase) => {
    const key = JSON.stringify(phrase);
    const known = resolved.get(key) ?? resolvePhrase(phrase, store.dictionary, expand);
    resolved.set(key, known);
    return known;
  };
  return { root, phrases: phrasesOf(root).map(resolve) };
}

/**
 * The scores of `documents`. Phrases are added one after another, because the order of the additions
 * decides the last bits. The documents of each phrase are a subset of `documents`.
 */
function* scoresOf(
  query: SegmentQuery,
  { documents, counted }: SegmentMatches,
  idfs: readonly number[],
  norms: LengthNorms,
): Generator<void, Float64Array> {
  const scores = new Float64Array(documents.length);
  const { lengths } = query.segment;
  for (let phrase = 0; phrase < counted.length; phrase++) {
    const { packed, length } = counted[phrase] ?? NO_POSTINGS;
    const phraseIdf = idfs[phrase] ?? 0;
    const gallops = length * GALLOP_RATIO < documents.length;
    let at = 0;
    for (let i = 0; i < length; i++) {
      const entry = packed[i] ?? 0;
      const slot = entry >>> FREQUENCY_BITS;
      if (gallops) at = seek(documents, slot, at);
      else while ((documents.packed[at] ?? 0) >>> FREQUENCY_BITS < slot) at++;
      const stored = entry & MAX_FREQUENCY;
      const frequency = stored === MAX_FREQUENCY ? query.recount(phrase, slot) : stored;
      scores[at] =
        (scores[at] ?? 0) + termScore(phraseIdf, frequency, norms.of(lengths[slot] ?? 0));
    }
    yield;
  }
  return scores;
}

/**
 * The matches that can reach `minScore`. The phrases of the lowest idf whose maximum scores together
 * stay below it cannot lift a document there alone, so documents that contain only those are not
 * scored (MaxScore: Turtle and Flood 1995).
 */
function pruneByMaxScore(
  matches: SegmentMatches,
  idfs: readonly number[],
  minScore: number,
): SegmentMatches {
  const { documents, counted } = matches;
  let maxScore = 0;
  const essential = [...counted.keys()]
    .sort((a, b) => (idfs[a] ?? 0) - (idfs[b] ?? 0))
    .filter((phrase) => {
      maxScore += maxTermScore(idfs[phrase] ?? 0);
      return maxScore >= minScore;
    })
    .map((phrase) => counted[phrase] ?? NO_POSTINGS);
  const bound = essential.reduce((sum, { length }) => sum + length, 0);
  if (bound * 2 > documents.length) return matches;
  const candidates = unite(essential);
  return { documents: candidates, counted: counted.map((list) => intersect(list, candidates)) };
}

/**
 * Offers the documents of a query that ranks by one phrase. Most of them have the word too seldom to
 * reach the top, whatever their length, and cost one comparison.
 */
function rankOnePhrase(
  query: SegmentQuery,
  phrase: number,
  { packed, length }: PostingList,
  phraseIdf: number,
  norms: LengthNorms,
  top: TopK<ScoredDocument>,
): void {
  const { lengths, orders, ids } = query.segment;
  const leastNorm = norms.of(0);
  const leastFor = (last: ScoredDocument | undefined) =>
    last === undefined
      ? 0
      : Math.min(leastFrequency(phraseIdf, last.score, leastNorm), MAX_FREQUENCY);
  let { last } = top;
  let least = leastFor(last);
  for (let i = 0; i < length; i++) {
    const entry = packed[i] ?? 0;
    const stored = entry & MAX_FREQUENCY;
    if (stored < least) continue;
    const slot = entry >>> FREQUENCY_BITS;
    const frequency = stored === MAX_FREQUENCY ? query.recount(phrase, slot) : stored;
    const score = termScore(phraseIdf, frequency, norms.of(lengths[slot] ?? 0));
    if (last !== undefined && score < last.score) continue;
    const order = orders[slot] ?? 0;
    if (last !== undefined && score === last.score && order <= last.order) continue;
    top.offer({ score, order, id: ids[slot] ?? 0 });
    last = top.last;
    least = leastFor(last);
  }
}

/** Offers the matches of one segment to `top`. Returns how many matches there are. */
function* rankSegment(
  query: SegmentQuery,
  idfs: readonly number[],
  norms: LengthNorms,
  top: TopK<ScoredDocument>,
  filter: ExecuteOptions['filter'],
): Generator<void, number> {
  const { segment } = query;
  const matches = yield* query.match(filter && ((slot) => filter(segment.ids[slot] ?? 0)));
  const [only, ...others] = [...matches.counted.keys()].filter(
    (phrase) => matches.counted[phrase]?.length !== 0,
  );
  const postings = matches.counted[only ?? 0] ?? NO_POSTINGS;
  const isAlone = others.length === 0 && postings.length === matches.documents.length;
  if (only !== undefined && isAlone) {
    rankOnePhrase(query, only, postings, idfs[only] ?? 0, norms, top);
    return matches.documents.length;
  }
  let { last } = top;
  const pruned = pruneByMaxScore(matches, idfs, last?.score ?? 0);
  const { documents } = pruned;
  const scores = yield* scoresOf(query, pruned, idfs, norms);
  for (let i = 0; i < documents.length; i++) {
    const score = scores[i] ?? 0;
    // Most documents end here and cost no allocation.
    if (last !== undefined && score < last.score) continue;
    const slot = (documents.packed[i] ?? 0) >>> FREQUENCY_BITS;
    const order = segment.orders[slot] ?? 0;
    if (last !== undefined && score === last.score && order <= last.order) continue;
    top.offer({ score, order, id: segment.ids[slot] ?? 0 });
    last = top.last;
  }
  return matches.documents.length;
}

/** Finds, counts and ranks. Pauses between bounded steps. Throws `QUERY_SYNTAX` for too many prefixes. */
export function* executeQuery(
  root: QueryNode,
  store: SegmentStore,
  options: ExecuteOptions,
): Generator<void, QueryResult> {
  store.flush();
  const plan = planQuery(root, store);
  const queries = store.segments
    .filter((segment) => segment.size > segment.deadCount)
    .map((segment) => new SegmentQuery(segment, plan));
  const hitCounts = plan.phrases.map(() => 0);
  for (const query of queries) {
    for (let phrase = 0; phrase < hitCounts.length; phrase++) {
      hitCounts[phrase] = (hitCounts[phrase] ?? 0) + query.findPhrase(phrase);
      yield;
    }
  }
  const idfs = hitCounts.map((hitCount) => idf(store.documentCount, hitCount));
  const top = new TopK<ScoredDocument>(options.limit + options.offset, bestFirst);
  let total = 0;
  for (const query of queries) {
    total += yield* rankSegment(query, idfs, store.norms, top, options.filter);
    yield;
  }
  return { total, page: top.sorted().slice(options.offset), queries };
}

/** Throws `CANCELLED` if the signal is aborted. */
export function throwIfCancelled(signal: AbortSignal | undefined): void {
  if (signal?.aborted)
    throw new AppError('CANCELLED', 'The search was cancelled', { cause: signal.reason });
}
