/**
 * Executes a parsed query on all segments in two passes, because the rank needs the number of documents that
 * contain each phrase: the first pass counts them in all segments, the second scores the matches. Both passes
 * are generators that pause after steps of limited size, so that the caller can yield or cancel.
 */
import { TopK } from '../../base/arrays/top-k.js';
import { type ResolvedPhrase, resolvePhrase } from '../matching/phrase-terms.js';
import { type ExecutionPlan, SegmentQuery } from '../matching/segment-query.js';
import { querySyntaxError } from '../query/lexer.js';
import { childrenOf, type Phrase, phrasesOf, type QueryNode } from '../query/tree.js';
import { countLive } from '../segments/posting-lists.js';
import { type DocumentId, NO_POSTINGS } from '../segments/segment.js';
import type { SegmentStore } from '../segments/segment-store.js';
import { idf } from './bm25.js';
import { bestFirst, type Ranking, rankSegment, type ScoredDocument } from './rank-segment.js';

/** The prefixes of one query may match this many terms in total. */
const MAX_EXPANSIONS = 2 ** 20;

export interface ExecuteOptions {
  readonly limit: number;
  readonly offset: number;
  readonly filter: ((id: DocumentId) => boolean) | undefined;
}

export interface QueryResult {
  /** All matches, whatever the limit. */
  readonly total: number;
  /** Best first. */
  readonly page: readonly ScoredDocument[];
  readonly queries: readonly SegmentQuery[];
}

/** The same string for equal phrases. A word needs no `JSON.stringify`, which is much slower. */
function keyOf(phrase: Phrase): string {
  const { terms, first, columns, symbols, cjkRun } = phrase;
  const [{ term = '', prefix = false, spellings } = {}, second] = terms;
  const isWord = term !== '' && !second && !spellings && !symbols && !cjkRun;
  return isWord ? `${term} ${prefix} ${first} ${columns}` : JSON.stringify(phrase);
}

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
  const phrases = phrasesOf(root);
  const resolved = new Map<string, ResolvedPhrase>();
  const resolve = (phrase: Phrase, number: number) => {
    const key = phrases.length > 1 ? keyOf(phrase) : '';
    const known = resolved.get(key) ?? resolvePhrase(number, phrase, store.dictionary, expand);
    resolved.set(key, known);
    return known;
  };
  const isAlone = (node: QueryNode) => node.kind === 'near' && node.phrases.length === 1;
  const isPlain = root.kind === 'near' ? isAlone(root) : childrenOf(root).every(isAlone);
  const kind = isPlain ? (root.kind === 'near' ? 'or' : root.kind) : undefined;
  return { root, phrases: phrases.map(resolve), kind };
}

/** The number of documents that are not deleted and contain a phrase. */
function countHits(
  { number, termsAt }: ResolvedPhrase,
  queries: readonly SegmentQuery[],
  { dictionary, isCounted }: SegmentStore,
): number {
  const [[term, ...others] = []] = termsAt;
  const isTerm = term !== undefined && others.length === 0 && isCounted;
  // The dictionary's number needs no look at deleted documents.
  if (isTerm && queries.every((query) => query.isWord(number))) return dictionary.documentsOf(term);
  return queries.reduce(
    (sum, { segment, hits }) => sum + countLive(segment, hits[number] ?? NO_POSTINGS),
    0,
  );
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
    .filter(({ size, deadSlots }) => size > deadSlots.length)
    .map((segment) => new SegmentQuery(segment, plan));
  const hitCounts: number[] = [];
  for (const phrase of plan.phrases) {
    for (const query of queries) {
      query.findPhrase();
      yield;
    }
    hitCounts.push(hitCounts[phrase.number] ?? countHits(phrase, queries, store));
  }
  const idfs = hitCounts.map((hitCount) => idf(store.documentCount, hitCount));
  const top = new TopK<ScoredDocument>(options.limit + options.offset, bestFirst);
  // If the default columns of all documents are empty, every length is 0, and 0 / 0 would be no rank.
  const averageLength = store.tokenCount / store.documentCount || 1;
  const ranking: Ranking = { idfs, averageLength, top, limits: [] };
  // For a union, `rankSegment` subtracts the documents that this sum has several times.
  const isUnion = plan.kind === 'or' && !options.filter;
  let total = isUnion ? hitCounts.reduce((sum, count) => sum + count) : 0;
  for (const query of queries) {
    total += yield* rankSegment(query, ranking, options.filter);
    yield;
  }
  return { total, page: top.sorted().slice(options.offset), queries };
}
