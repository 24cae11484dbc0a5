/**
 * Searching messages by what they mean and not only by their letters: the facade over the recall index
 * and, where there are any, vectors. Plain words in mode `auto` get first what FTS5 puts first, where
 * messages have all of them, then what recall finds. Everything else is `messages/message-search.ts`.
 */
import { type Clock, sleep } from '../../base/clock.js';
import { AppError } from '../../base/errors.js';
import { throwIfCancelled } from '../../fts/ranking/execute-query.js';
import { TOPICAL_WEIGHTS } from '../../recall/ranking.js';
import type { MessageRef, RecallAnswer, RecallHit } from '../../recall/recall-index.js';
import { cutRecallSnippet } from '../../recall/recall-snippet.js';
import type { VectorScores, VectorSource } from '../../recall/vector-source.js';
import {
  conversationFilter,
  type MessageFilters,
  type MessageHit,
  messageFilter,
} from '../messages/message-hits.js';
import type { MessageQuery, MessageResults, SearchCaller } from '../messages/message-search.js';
import { keywordWhy, type RecalledHit, recalledHits } from './recall-hits.js';
import { RecallSync, type RecallSyncOptions } from './recall-sync.js';
import type { SearchMode, SearchTier } from './search-mode-names.js';

/** A build that takes longer goes on without the caller. */
const WAIT_FOR_BUILD_MS = 20_000;
/** The same in mode `auto`, where keywords answer meanwhile. */
const WAIT_IN_AUTO_MS = 5_000;
const PROGRESS_MS = 500;
/** A hit that changed on disk a moment ago changes the answer; so often it is asked again. */
const MAX_TRIES = 3;
/** In mode `semantic` words count for nothing where there are vectors. */
const BY_VECTORS_ALONE = { lexical: 0, pairs: 0, session: 0 };
/** For what is about one subject: only the words of messages count. */
const BY_WORDS_ALONE = { ...TOPICAL_WEIGHTS, namedSpeaker: 0 };

/** Ways to rank an answer: those of searches, and those of `get_relevant_snippets`. */
export type RecallMode = SearchMode | 'topical' | 'entity' | 'temporal';

function weightsOf(mode: RecallMode, hasVectors: boolean) {
  if (mode === 'semantic' && hasVectors) return { weights: BY_VECTORS_ALONE };
  if (mode === 'topical') return { weights: BY_WORDS_ALONE };
  return mode === 'entity' ? { boostsEntities: true } : {};
}

export interface RecallQuery extends Omit<MessageQuery, 'matchType'> {
  /** Given, the search is one by keywords, whatever the mode. */
  readonly matchType?: MessageQuery['matchType'];
  readonly mode: SearchMode;
}

/** A message that either index found. */
export type FoundHit = MessageHit & Pick<RecalledHit, 'why'>;

export interface RecallResults extends Omit<MessageResults, 'hits'> {
  readonly hits: readonly FoundHit[];
  readonly tier: SearchTier;
}

/** What `ask` found: the answer, and whether vectors took part. */
export interface Asked {
  readonly answer: RecallAnswer;
  readonly tier: SearchTier;
}

export interface RecallSearchOptions extends RecallSyncOptions {
  readonly clock: Clock;
  /** Absent: words, their forms and their surroundings alone. */
  readonly vectors?: VectorSource;
}

export class RecallSearch {
  readonly #options: RecallSearchOptions;
  readonly #sync: RecallSync;

  constructor(options: RecallSearchOptions) {
    this.#options = options;
    this.#sync = new RecallSync(options);
  }

  /** QUERY_SYNTAX (matchType fts5), CANCELLED, FILESYSTEM_ERROR. */
  async search(request: RecallQuery, caller: SearchCaller = {}): Promise<RecallResults> {
    const maxWaitMs = request.mode === 'auto' ? WAIT_IN_AUTO_MS : WAIT_FOR_BUILD_MS;
    if (!this.usesRecall(request) || !(await this.ready({ maxWaitMs, ...caller }))) {
      return this.#byKeywords(request, caller);
    }
    for (let tries = 1; ; tries += 1) {
      const found = await this.#recalled(request, caller);
      // They explain why nothing was found. Function words alone would find what the question is not about.
      if (found.total === 0)
        return this.#byKeywords({ ...request, query: found.words || request.query }, caller);
      const { words: _words, ...results } = found;
      if (found.isCurrent || tries >= MAX_TRIES) return results;
    }
  }

  /** Whether a query is for recall: plain words, unless a mode asks for it. */
  usesRecall({
    query,
    mode,
    matchType,
  }: Pick<RecallQuery, 'query' | 'mode' | 'matchType'>): boolean {
    if (matchType !== undefined || mode === 'keyword') return false;
    return mode !== 'auto' || !this.#options.search.usesOperators(query);
  }

  /** Raised with every change of what is indexed. */
  get revision(): number {
    return this.#sync.index.revision;
  }

  /** Like `ready`, for what keywords cannot answer: TIMEOUT where the build takes too long. */
  async required(caller: SearchCaller = {}): Promise<void> {
    if (await this.ready(caller)) return;
    throw new AppError('TIMEOUT', 'The recall index is still being built.', {
      hint: 'Call again in a few seconds. Until then, search_messages finds messages by keywords.',
    });
  }

  /** True when the index is complete, false where that takes too long. CANCELLED, FILESYSTEM_ERROR. */
  async ready(caller: SearchCaller = {}): Promise<boolean> {
    const { signal, progress, maxWaitMs = WAIT_FOR_BUILD_MS } = caller;
    const { clock } = this.#options;
    throwIfCancelled(signal);
    const build = this.#sync.build();
    build.catch(() => undefined); // the race below reports it, or the next call
    const deadline = clock.monotonic() + maxWaitMs;
    for (;;) {
      if (this.#sync.isBuilt) return true;
      const leftMs = deadline - clock.monotonic();
      if (leftMs <= 0) return false;
      await Promise.race([build, sleep(Math.min(PROGRESS_MS, leftMs), signal)]).catch(
        (error: unknown) => {
          throwIfCancelled(signal);
          throw error;
        },
      );
      const { done, total } = this.#sync.progress;
      progress?.({ progress: done, total, message: 'the recall index is being built' });
    }
  }

  /** Everything that answers a question, best first; the index is to be `ready`. CANCELLED. */
  async ask(
    text: string,
    filters: MessageFilters,
    mode: RecallMode,
    caller: SearchCaller = {},
  ): Promise<Asked> {
    const { search, vectors: source } = this.#options;
    const { signal } = caller;
    const vectors: VectorScores | undefined = await source?.ask(text, signal);
    await this.#sync.settled();
    const accepts = messageFilter(search.index, filters);
    const answer = await this.#sync.index.ask(text, {
      inScope: conversationFilter(search.index, filters),
      vectors,
      ...(accepts && { accepts }),
      ...(signal && { signal }),
      ...weightsOf(mode, vectors !== undefined),
    });
    throwIfCancelled(signal);
    return { answer, tier: vectors === undefined ? 'words' : 'vectors' };
  }

  /** The messages themselves. `isCurrent` is false where one changed since the index read it. */
  hits(
    asked: RecallAnswer,
    found: readonly (RecallHit & { position: number })[],
    request: Pick<RecallQuery, 'snippet'>,
  ) {
    const { index } = this.#sync;
    return recalledHits(found, {
      ...request,
      index,
      store: this.#options.store,
      question: asked.question,
    });
  }

  /** The part of a hit's passage that has the most words of the question, so many words at most. */
  excerpt({ question }: RecallAnswer, { content, passage }: RecalledHit, words: number): string {
    const style = { open: '', close: '', ellipsis: '…', words };
    return cutRecallSnippet(content, passage, question, this.#sync.index.vocabulary, style);
  }

  /** Saves nothing of the store's; a build that is under way ends with the store's `close`. */
  async close(): Promise<void> {
    await this.#sync.close();
  }

  async #byKeywords(request: RecallQuery, caller: SearchCaller): Promise<RecallResults> {
    const { matchType = 'auto', ...asked } = request;
    const found = await this.#options.search.search({ ...asked, matchType }, caller);
    const hits = found.hits.map((hit) => explained(hit, request.query));
    return { ...found, hits, tier: 'keyword' };
  }

  async #recalled(request: RecallQuery, caller: SearchCaller) {
    const { query, filters, mode, limit, offset } = request;
    const { answer, tier } = await this.ask(query, filters, mode, caller);
    const exact = mode === 'auto' ? await this.#exact(request, caller) : NO_EXACT;
    const others = positionsWithout(answer, exact.has);
    const total = exact.total + others.length;
    const leading = offset < exact.total ? await exact.page() : [];
    const from = Math.max(0, offset - exact.total);
    const positions = others.slice(from, from + limit - leading.length);
    const found = positions.flatMap((position, at) => {
      const hit = answer.hit(position);
      return hit === undefined ? [] : [{ ...hit, position: exact.total + from + at }];
    });
    const { hits, isCurrent } = await this.hits(answer, found, request);
    const isRelaxed = exact.total === 0 && !answer.hasAllWords;
    return {
      ...{ total, tier, isCurrent, relaxed: isRelaxed, unknownWords: [], withoutFilter: {} },
      words: answer.question.words.map(({ text }) => text).join(' '),
      hits: [...leading.map((hit) => explained(hit, query)), ...hits],
    };
  }

  /** The messages that have all of the words, as FTS5 ranks them. */
  async #exact({ mode: _mode, matchType: _type, ...asked }: RecallQuery, caller: SearchCaller) {
    const { search } = this.#options;
    const { total, relaxed, has } = await search.matches(asked.query, asked.filters, caller);
    if (relaxed || total === 0) return NO_EXACT;
    const page = async () => (await search.search({ ...asked, matchType: 'auto' }, caller)).hits;
    return { total, has, page };
  }
}

const explained = (hit: MessageHit, query: string): FoundHit => ({
  ...hit,
  why: keywordWhy(query, hit.content, hit.title),
});

const NO_EXACT = {
  total: 0,
  has: (_message: MessageRef) => false,
  page: async (): Promise<readonly MessageHit[]> => [],
};

function positionsWithout(answer: RecallAnswer, has: (message: MessageRef) => boolean): number[] {
  const positions: number[] = [];
  for (let position = 0; position < answer.total; position += 1) {
    const found = answer.at(position);
    if (found !== undefined && !has(found)) positions.push(position);
  }
  return positions;
}
