/**
 * The search of `search_messages` in all its modes: it decides whether the recall index (with vectors, if
 * available) or the keyword search answers a query. In mode `auto`, plain words first give the messages with
 * all words, as FTS5 ranks them, and then those that recall finds. A query with function words is a question,
 * which recall answers alone. Queries with operators go to `messages/keyword-search.ts`.
 */
import { type Clock, settledOrLater } from '../../base/clock.js';
import { AppError } from '../../base/errors.js';
import { localDay } from '../../base/local-time.js';
import { throwIfCancelled } from '../../fts/cancellation.js';
import type { AskOptions, MessageRef, RecallAnswer, RecallHit } from '../../recall/answer.js';
import type { Question } from '../../recall/question.js';
import { variantsOf } from '../../recall/question-variants.js';
import { CONTENT_ONLY_WEIGHTS } from '../../recall/ranking/ranking.js';
import { cutRecallSnippet } from '../../recall/recall-snippet.js';
import type { PresentTime } from '../../recall/relative-time.js';
import type { VectorScores, VectorSource } from '../../recall/vector-source.js';
import {
  BUILD_REPORT_MS,
  type MessageQuery,
  type MessageResults,
  type SearchCaller,
  WAIT_FOR_BUILD_MS,
} from '../messages/keyword-search.js';
import {
  conversationFilter,
  type MessageFilters,
  type MessageHit,
  messageFilter,
  totalsWithout,
  untilCurrent,
} from '../messages/message-hits.js';
import type { SearchMode, SearchTier } from '../search-names.js';
import { keywordWhy, type RecalledHit, recalledHits } from './recall-hits.js';
import { RecallSync, type RecallSyncOptions } from './recall-sync.js';

/** The longest wait in mode `auto`, in which keywords answer in the meantime. */
const WAIT_IN_AUTO_MS = 5_000;
/** In mode `semantic` with vectors, words have no weight. */
const VECTOR_ONLY_WEIGHTS = { lexical: 0, pairs: 0, session: 0 };
/** For strategy `topical`: only the words of messages and sessions, and vectors, have weights. */
const TOPICAL_WEIGHTS = { ...CONTENT_ONLY_WEIGHTS, namedSpeaker: 0 };

/** How an answer is ranked: the modes of searches, and the strategies of `get_relevant_snippets`. */
export type RecallMode = SearchMode | 'topical' | 'entity' | 'temporal';

function weightsOf(mode: RecallMode, hasVectors: boolean) {
  if (mode === 'semantic' && hasVectors) return { weights: VECTOR_ONLY_WEIGHTS };
  if (mode === 'topical') return { weights: TOPICAL_WEIGHTS };
  return mode === 'entity' ? { boostsEntities: true } : {};
}

export interface RecallQuery extends Omit<MessageQuery, 'matchType'> {
  /** If given, the search is a keyword search, whatever `mode` is. */
  readonly matchType?: MessageQuery['matchType'];
  readonly mode: SearchMode;
}

/** A message from either index. */
export type FoundHit = MessageHit & Pick<RecalledHit, 'why'>;

export interface RecallResults extends Omit<MessageResults, 'hits'> {
  readonly hits: readonly FoundHit[];
  readonly tier: SearchTier;
  /** The phrase of a time that the question names, if no searched message is from that time. */
  readonly emptyTime?: string;
}

/** The answer, and the tier: whether vectors were used. */
export interface RankedAnswer {
  readonly answer: RecallAnswer;
  readonly tier: SearchTier;
}

export interface RecallSearchOptions extends RecallSyncOptions {
  readonly clock: Clock;
  /** The zone (IANA) of the days that a question names, as in "yesterday". */
  readonly timeZone: () => string;
  /** If absent, recall uses only words, their forms, and neighbouring messages. */
  readonly vectors?: VectorSource;
}

export class RecallSearch {
  readonly #options: RecallSearchOptions;
  readonly #sync: RecallSync;

  constructor(options: RecallSearchOptions) {
    this.#options = options;
    this.#sync = new RecallSync(options);
  }

  /** Throws QUERY_SYNTAX (matchType fts5), CANCELLED or FILESYSTEM_ERROR. */
  async search(request: RecallQuery, caller: SearchCaller = {}): Promise<RecallResults> {
    if (this.usesRecall(request))
      return (await this.#whenReady(request, caller)) ?? this.#byKeywords(request, caller);
    const found = await this.#byKeywords(request, caller);
    // A question may contain quotation marks. If no message has all of it, recall finds better messages than
    // those with any of its words.
    const isUnanswered =
      request.mode === 'auto' && request.matchType === undefined && found.relaxed;
    const recalled = isUnanswered ? await this.#whenReady(request, caller) : undefined;
    return recalled === undefined ? found : { ...recalled, relaxed: true };
  }

  /** `undefined` if the index is not complete in time. */
  async #whenReady(request: RecallQuery, caller: SearchCaller): Promise<RecallResults | undefined> {
    const maxWaitMs = request.mode === 'auto' ? WAIT_IN_AUTO_MS : WAIT_FOR_BUILD_MS;
    if (!(await this.ready({ maxWaitMs, ...caller }))) return undefined;
    const found = await untilCurrent(() => this.#byRecall(request, caller));
    const { words, ...results } = found;
    if (found.total > 0) return results;
    const { emptyTime } = found;
    const explained = await this.#explained(request, words, caller);
    return { ...explained, ...(emptyTime !== undefined && { emptyTime }) };
  }

  /**
   * A keyword search explains why nothing matches. Its query has no function words, because these would
   * match messages about other subjects. Recall also finds other forms of words, so the totals without
   * filters are its own.
   */
  async #explained(request: RecallQuery, words: string, caller: SearchCaller) {
    const found = await this.#byKeywords({ ...request, query: words || request.query }, caller);
    if (found.total > 0) return found;
    const { index } = this.#sync;
    const withoutFilter = await totalsWithout(request.filters, async (others) => {
      const asked = this.#asked(others, caller);
      const question = index.question(request.query, asked);
      const exact = await this.#leadingMatches(question, { ...request, filters: others }, caller);
      return exact.total + (await index.count(question, { ...asked, except: exact.has }));
    });
    const isFiltered = Object.values(withoutFilter).some((total) => total > 0);
    return isFiltered ? { ...found, withoutFilter, unknownWords: [] } : found;
  }

  /** Whether recall answers a query: it has only plain words, or the mode requires recall. */
  usesRecall({
    query,
    mode,
    matchType,
  }: Pick<RecallQuery, 'query' | 'mode' | 'matchType'>): boolean {
    if (matchType !== undefined || mode === 'keyword') return false;
    return mode !== 'auto' || !this.#options.search.usesOperators(query);
  }

  /** Grows with every change of the index. */
  get revision(): number {
    return this.#sync.index.revision;
  }

  /** The present day. Answers to questions such as "what did we do yesterday?" change with it. */
  get today(): string {
    const { ms, timeZone } = this.#now();
    return localDay(ms, timeZone);
  }

  /** Like `ready`, for callers that cannot use keywords instead. Throws TIMEOUT if the build takes too long. */
  async required(caller: SearchCaller = {}): Promise<void> {
    if (await this.ready(caller)) return;
    throw new AppError('TIMEOUT', 'The recall index is still being built.', {
      hint: 'Call again in a few seconds. Until then, `search_messages` finds messages by keywords.',
    });
  }

  /** True if the index is complete; false if that takes too long. Throws CANCELLED or FILESYSTEM_ERROR. */
  async ready(caller: SearchCaller = {}): Promise<boolean> {
    const { signal, progress, maxWaitMs = WAIT_FOR_BUILD_MS } = caller;
    const { clock } = this.#options;
    throwIfCancelled(signal);
    const build = this.#sync.build();
    build.catch(() => undefined); // reported below, or by the next call
    const deadline = clock.monotonic() + maxWaitMs;
    for (;;) {
      if (this.#sync.isBuilt) return true;
      const leftMs = deadline - clock.monotonic();
      if (leftMs <= 0) return false;
      await settledOrLater(build, Math.min(BUILD_REPORT_MS, leftMs), signal);
      throwIfCancelled(signal);
      const { done, total } = this.#sync.progress;
      progress?.({ progress: done, total, message: 'the recall index is being built' });
    }
  }

  /** The messages that answer a question, best first. The index must be `ready`. Throws CANCELLED. */
  async ask(
    text: string,
    filters: MessageFilters,
    mode: RecallMode,
    caller: SearchCaller = {},
    reading: Partial<Pick<AskOptions, 'depth' | 'except'>> = {},
  ): Promise<RankedAnswer> {
    const { search, vectors: source } = this.#options;
    const { signal } = caller;
    const inScope = conversationFilter(search.index, filters);
    const vectors: VectorScores | undefined = await source?.ask(
      variantsOf(text, this.#sync.index.speakers(inScope)),
      signal,
    );
    await this.#sync.settled();
    const answer = await this.#sync.index.ask(text, {
      ...this.#asked(filters, caller),
      ...reading,
      vectors,
      ...weightsOf(mode, vectors !== undefined),
    });
    throwIfCancelled(signal);
    return { answer, tier: vectors === undefined ? 'words' : 'vectors' };
  }

  #asked(filters: MessageFilters, { signal }: SearchCaller) {
    const { index } = this.#options.search;
    const accepts = messageFilter(index, filters);
    return {
      inScope: conversationFilter(index, filters),
      now: this.#now(),
      ...(accepts && { accepts }),
      ...(signal && { signal }),
    };
  }

  #now(): PresentTime {
    const { clock, timeZone } = this.#options;
    return { ms: clock.now(), timeZone: timeZone() };
  }

  /** Reads the messages of hits. `isCurrent` is false if one changed after it was indexed. Throws CANCELLED. */
  hits(
    asked: RecallAnswer,
    found: readonly RecallHit[],
    request: Pick<RecallQuery, 'snippet'>,
    { signal }: SearchCaller = {},
  ) {
    const { index } = this.#sync;
    return recalledHits(found, {
      ...request,
      ...(signal && { signal }),
      index,
      store: this.#options.store,
      question: asked.question,
    });
  }

  /** The part of a hit's passage that has the most words of the question, in at most `words` words. */
  excerpt({ question }: RecallAnswer, { content, passage }: RecalledHit, words: number): string {
    const style = { open: '', close: '', ellipsis: '…', words };
    return cutRecallSnippet(content, passage, question, this.#sync.index.vocabulary, style);
  }

  /** Ends a running build, and saves a complete index if a save is due. */
  async close(): Promise<void> {
    await this.#sync.close();
  }

  async #byKeywords(request: RecallQuery, caller: SearchCaller): Promise<RecallResults> {
    const { matchType = 'auto', ...asked } = request;
    const found = await this.#options.search.search({ ...asked, matchType }, caller);
    const hits = found.hits.map((hit) => withReason(hit, request.query));
    return { ...found, hits, tier: 'keyword' };
  }

  async #byRecall(request: RecallQuery, caller: SearchCaller) {
    const { query, filters, mode, limit, offset } = request;
    await this.#sync.settled();
    const { index } = this.#sync;
    const asked = this.#asked(filters, caller);
    const question = index.question(query, asked);
    const exact = await this.#leadingMatches(question, request, caller);
    const words = question.words.map(({ text }) => text).join(' ');
    const { emptyTime } = question;
    const rest = {
      words,
      unknownWords: [],
      withoutFilter: {},
      ...(emptyTime !== undefined && { emptyTime }),
    };
    if (exact.total >= offset + limit && this.#options.vectors === undefined) {
      // Keywords fill the page, so recall only counts. With vectors it would have to rank for that.
      const total = exact.total + (await index.count(question, { ...asked, except: exact.has }));
      const hits = await exact.page();
      return { ...rest, total, tier: 'words' as const, isCurrent: true, relaxed: false, hits };
    }
    const reading = { depth: offset + limit, except: exact.has };
    const { answer, tier } = await this.ask(query, filters, mode, caller, reading);
    const total = exact.total + answer.total;
    const leading = offset < exact.total ? await exact.page() : [];
    const from = Math.max(0, offset - exact.total);
    const found = answer
      .hits(from, limit - leading.length)
      .map((hit) => ({ ...hit, position: exact.total + hit.position }));
    const { hits, isCurrent } = await this.hits(answer, found, request, caller);
    const relaxed = exact.total === 0 && !answer.hasAllWords;
    return { ...rest, total, tier, isCurrent, relaxed, hits: [...leading, ...hits] };
  }

  /** For keywords in mode `auto`: the messages with all words, as FTS5 ranks them. */
  async #leadingMatches(
    question: Question,
    { mode, matchType: _type, ...asked }: RecallQuery,
    caller: SearchCaller,
  ) {
    if (mode !== 'auto' || question.hasFunctionWords) return NO_EXACT_MATCHES;
    const { search } = this.#options;
    const { total, relaxed, has } = await search.matches(asked.query, asked.filters, caller);
    if (relaxed || total === 0) return NO_EXACT_MATCHES;
    const page = async () =>
      (await search.search({ ...asked, matchType: 'auto' }, caller)).hits.map((hit) =>
        withReason(hit, asked.query),
      );
    return { total, has, page };
  }
}

const withReason = (hit: MessageHit, query: string): FoundHit => ({
  ...hit,
  why: keywordWhy(query, hit.content, hit.title),
});

const NO_EXACT_MATCHES = {
  total: 0,
  has: (_message: MessageRef) => false,
  page: async (): Promise<readonly FoundHit[]> => [],
};
