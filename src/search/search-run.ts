/**
 * Runs a parsed query over all segments in two passes, as the rank demands: first every phrase's
 * documents are counted everywhere, then the matches are scored. It pauses between bounded pieces
 * of work, so that a caller can let other things happen or give up.
 */
import { AppError } from '../base/errors.js';
import { type ResolvedPhrase, resolvePhrase } from './phrase-terms.js';
import { GALLOP_RATIO, intersect, seek, unite } from './posting-lists.js';
import { querySyntaxError } from './query-lexer.js';
import { type Phrase, phrasesOf, type QueryNode } from './query-tree.js';
import { Best, inverseFrequency, type LengthNorms, mostShare, type Scored, share } from './rank.js';
import { type DocumentId, FREQUENCY_BITS, MAX_FREQUENCY, NO_POSTINGS } from './segment.js';
import { type QueryPlan, type SegmentMatches, SegmentQuery } from './segment-query.js';
import type { SegmentStore } from './segment-store.js';

/** All prefixes of one query together may stand for this many terms. */
const MAX_EXPANSIONS = 2 ** 20;

export interface RunOptions {
  readonly limit: number;
  readonly offset: number;
  readonly filter: ((id: DocumentId) => boolean) | undefined;
}

export interface RunResult {
  readonly total: number;
  readonly best: readonly Scored<DocumentId>[];
  readonly queries: readonly SegmentQuery[];
}

/** Looks up all terms of a query; equal phrases come out as one object. */
function planQuery(root: QueryNode, store: SegmentStore): QueryPlan {
  const expansions = new Map<string, readonly number[]>();
  let expanded = 0;
  const expand = (prefix: string) => {
    const known = expansions.get(prefix);
    if (known !== undefined) return known;
    const numbers = store.dictionary.startingWith(prefix);
    expanded += numbers.length;
    if (expanded > MAX_EXPANSIONS)
      throw querySyntaxError('The prefixes of this query stand for too many words', 0);
    expansions.set(prefix, numbers);
    return numbers;
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
 * Scores `documents`, phrase by phrase: the order of the sums decides the last bits. Each phrase's
 * documents are among them.
 */
function* scoresOf(
  query: SegmentQuery,
  { documents, counted }: SegmentMatches,
  weights: readonly number[],
  norms: LengthNorms,
): Generator<void, Float64Array> {
  const scores = new Float64Array(documents.length);
  const { lengths } = query.segment;
  for (let phrase = 0; phrase < counted.length; phrase++) {
    const { packed, length } = counted[phrase] ?? NO_POSTINGS;
    const weight = weights[phrase] ?? 0;
    const gallops = length * GALLOP_RATIO < documents.length;
    let at = 0;
    for (let i = 0; i < length; i++) {
      const entry = packed[i] ?? 0;
      const slot = entry >>> FREQUENCY_BITS;
      if (gallops) at = seek(documents, slot, at);
      else while ((documents.packed[at] ?? 0) >>> FREQUENCY_BITS < slot) at++;
      const stored = entry & MAX_FREQUENCY;
      const frequency = stored === MAX_FREQUENCY ? query.recount(phrase, slot) : stored;
      scores[at] = (scores[at] ?? 0) + share(weight, frequency, norms.of(lengths[slot] ?? 0));
    }
    yield;
  }
  return scores;
}

/**
 * Those that may score `floor` at least. Beside a rare word a common one counts next to nothing: what
 * has but the common one need not be scored (MaxScore: Turtle and Flood 1995).
 */
function contenders(
  matches: SegmentMatches,
  weights: readonly number[],
  floor: number,
): SegmentMatches {
  const { documents, counted } = matches;
  let slightest = 0;
  const decisive = [...counted.keys()]
    .sort((a, b) => (weights[a] ?? 0) - (weights[b] ?? 0))
    .filter((phrase) => {
      slightest += mostShare(weights[phrase] ?? 0);
      return slightest >= floor;
    })
    .map((phrase) => counted[phrase] ?? NO_POSTINGS);
  const most = decisive.reduce((sum, { length }) => sum + length, 0);
  if (most * 2 > documents.length) return matches;
  const few = unite(decisive);
  return { documents: few, counted: counted.map((list) => intersect(list, few)) };
}

/** One segment's matches into `best`; returns how many there are. */
function* rankSegment(
  query: SegmentQuery,
  weights: readonly number[],
  norms: LengthNorms,
  best: Best<DocumentId>,
  filter: RunOptions['filter'],
): Generator<void, number> {
  const { segment } = query;
  const matched = yield* query.match(filter && ((slot) => filter(segment.ids[slot] ?? 0)));
  let { floor } = best;
  const scored = contenders(matched, weights, floor);
  const { documents } = scored;
  const scores = yield* scoresOf(query, scored, weights, norms);
  for (let i = 0; i < documents.length; i++) {
    const score = scores[i] ?? 0;
    if (score < floor) continue;
    const slot = (documents.packed[i] ?? 0) >>> FREQUENCY_BITS;
    const order = segment.orders[slot] ?? 0;
    if (!best.takes(score, order)) continue;
    best.offer({ score, order, item: segment.ids[slot] ?? 0 });
    floor = best.floor;
  }
  return matched.documents.length;
}

/** Finds, counts and ranks; yields between pieces of work. */
export function* runQuery(
  root: QueryNode,
  store: SegmentStore,
  options: RunOptions,
): Generator<void, RunResult> {
  store.settle();
  const plan = planQuery(root, store);
  const queries = store.segments
    .filter((segment) => segment.size > segment.deadCount)
    .map((segment) => new SegmentQuery(segment, plan));
  const hits = plan.phrases.map(() => 0);
  for (const query of queries) {
    for (let phrase = 0; phrase < hits.length; phrase++) {
      hits[phrase] = (hits[phrase] ?? 0) + query.findPhrase(phrase);
      yield;
    }
  }
  const weights = hits.map((count) => inverseFrequency(store.rows, count));
  const { norms } = store;
  const best = new Best<DocumentId>(options.limit + options.offset);
  let total = 0;
  for (const query of queries) {
    total += yield* rankSegment(query, weights, norms, best, options.filter);
    yield;
  }
  return { total, best: best.sorted().slice(options.offset), queries };
}

/** Throws `CANCELLED` once the signal is aborted. */
export function throwIfCancelled(signal: AbortSignal | undefined): void {
  if (signal?.aborted)
    throw new AppError('CANCELLED', 'The search was cancelled', { cause: signal.reason });
}
