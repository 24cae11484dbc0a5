/**
 * Searches the messages of all conversations by keywords, as FTS5 does. IndexSync keeps the index up to date
 * with the files. Hits and snippets are read from the files at the time of the search. `search_messages` calls
 * `../message-search.ts`, which decides whether keywords or recall answer a query.
 */

import { type Clock, settledOrLater } from '../../base/clock.js';
import { AppError } from '../../base/errors.js';
import { defined } from '../../base/json.js';
import { throwIfCancelled } from '../../fts/cancellation.js';
import type { MatchType } from '../../fts/query/match-type-names.js';
import type { SearchResult } from '../../fts/search-result.js';
import type { SnippetOptions } from '../../fts/snippets/snippet.js';
import { cjkRunsOf } from '../../fts/tokenizing/cjk-bigrams.js';
import type { MessageRef } from '../../recall/answer.js';
import type { ConversationStore } from '../../stores/conversations/conversations.js';
import { repeatUntilCurrent } from '../repeat-until-current.js';
import { rankConversations } from './conversation-hits.js';
import { IndexSync, type IndexSyncOptions } from './index-sync.js';
import { warmUpLater } from './jit-warm-up.js';
import { documentFilter, type MessageFilters } from './message-filters.js';
import { hitsOf, type MessageHit } from './message-hits.js';
import type { MessageIndex } from './message-index.js';
import {
  type Newest,
  type NewestRequest,
  newestConversations,
  newestMessages,
} from './newest-messages.js';
import { totalsWithout } from './totals-without-filter.js';

/** Longer than most builds take, and shorter than the minute after which clients cancel a call. */
export const WAIT_FOR_BUILD_MS = 20_000;
/** Between two reports to a caller that waits for a build. */
export const BUILD_REPORT_MS = 500;

export interface MessageQuery {
  readonly query: string;
  readonly matchType: MatchType;
  readonly filters: MessageFilters;
  readonly limit: number;
  readonly offset: number;
  readonly snippet?: SnippetOptions;
}

export interface MessageResults {
  readonly total: number;
  readonly hits: readonly MessageHit[];
  readonly relaxed: boolean;
  /** If nothing matches: the words that no message contains. */
  readonly unknownWords: readonly string[];
  /** If nothing matches: the number of matches without each of the filters, and without all of them. */
  readonly withoutFilter: Readonly<Partial<Record<keyof MessageFilters | 'all', number>>>;
  /** While the index is being built: number of indexed conversations, and of all conversations. */
  readonly indexing?: { readonly done: number; readonly total: number };
}

export interface Matches extends Pick<MessageResults, 'total' | 'relaxed'> {
  has(message: MessageRef): boolean;
}

export interface ConversationHits {
  readonly conversationId: string;
  /** Number of its messages that match. */
  readonly matchCount: number;
  /** The best of its messages. */
  readonly hits: readonly MessageHit[];
}

export interface ConversationResults extends Omit<MessageResults, 'hits'> {
  readonly conversations: readonly ConversationHits[];
}

export interface SearchCaller {
  readonly signal?: AbortSignal;
  /** How long to wait for an index that is being built. After that, the incomplete index is searched. */
  readonly maxWaitMs?: number;
  progress?(report: { progress: number; total: number; message: string }): void;
}

/** The state of the index, for `store_info`. */
export interface IndexStatus {
  readonly isBuilt: boolean;
  readonly messages: number;
  readonly terms: number;
}

/** Reads nothing before `start` or the first search. */
export class KeywordSearch {
  readonly #store: ConversationStore;
  readonly #clock: Clock;
  readonly #sync: IndexSync;
  #warmUpTimer: NodeJS.Timeout | undefined;
  /** The number of messages that have a word, in one version of the index. */
  #frequencies = { version: 0, counts: new Map<string, number>() };

  constructor(options: IndexSyncOptions) {
    this.#store = options.store;
    this.#clock = options.clock;
    this.#sync = new IndexSync(options);
  }

  /**
   * Starts to build the index in the background. In mode `live` (the default) the index then follows the
   * files until `close`; in mode `once` it does not, for commands that end soon.
   */
  start(mode: 'live' | 'once' = 'live'): void {
    const built = this.#sync.build(mode);
    const begun = mode === 'live' ? built.then(() => this.#warmUpLater()) : built;
    begun.catch(() => undefined); // logged; the next search tries again and throws
  }

  #warmUpLater(): void {
    const asked = { matchType: 'auto', filters: {}, limit: 2, offset: 0 } as const;
    this.#warmUpTimer = warmUpLater({
      store: this.#store,
      clock: this.#clock,
      messages: this.#sync.index.text.size,
      search: (query) => this.search({ query, ...asked }),
      isClosed: () => this.#sync.isClosed,
    });
  }

  /** Throws QUERY_SYNTAX (matchType fts5), CANCELLED, or FILESYSTEM_ERROR if the folder cannot be read. */
  async search(request: MessageQuery, caller: SearchCaller = {}): Promise<MessageResults> {
    await this.#waitForBuild(caller);
    const sources = { index: this.#sync.index, store: this.#store };
    const { result, hits } = await repeatUntilCurrent(async () => {
      const result = await this.#run(request, request.filters, caller);
      return {
        result,
        ...(await hitsOf(result, result.hits, { ...request, ...caller, ...sources })),
      };
    });
    return { hits, ...(await this.#summary(request, result, result.total, caller)) };
  }

  /**
   * Like `search`, but each result is a conversation with its best `perConversation` messages. `total`,
   * `limit` and `offset` count conversations. Throws QUERY_SYNTAX (matchType fts5) or CANCELLED.
   */
  async searchConversations(
    request: MessageQuery,
    perConversation: number,
    caller: SearchCaller = {},
  ): Promise<ConversationResults> {
    await this.#waitForBuild(caller);
    const { query, matchType, limit, offset } = request;
    const { signal } = caller;
    const filter = documentFilter(this.#sync.index, request.filters);
    const options = { matchType, ...defined({ filter, signal }) };
    const asked = { query, limit, offset, perConversation, options };
    const sources = { index: this.#sync.index, store: this.#store };
    const { ranking, conversations } = await repeatUntilCurrent(async () => {
      const ranking = await rankConversations(this.#sync.index, asked);
      const conversations: ConversationHits[] = [];
      let isCurrent = true;
      for (const { conversationId, matchCount, best } of ranking.page) {
        const found = await hitsOf(ranking.result, best, { ...request, ...caller, ...sources });
        const { hits } = found;
        isCurrent &&= found.isCurrent;
        if (hits.length > 0) conversations.push({ conversationId, matchCount, hits });
      }
      return { ranking, conversations, isCurrent };
    });
    const { result, total } = ranking;
    return { conversations, ...(await this.#summary(request, result, total, caller)) };
  }

  /** The newest messages of all conversations, newest first. Throws CANCELLED. */
  async newest(
    request: NewestRequest,
    caller: SearchCaller = {},
  ): Promise<Newest & Pick<MessageResults, 'indexing'>> {
    await this.#waitForBuild(caller);
    return { ...newestMessages(this.#sync.index, request), ...this.#indexing() };
  }

  /** Ids of the conversations with the newest messages, newest first. Throws CANCELLED. */
  async newestConversations(
    request: Pick<NewestRequest, 'module' | 'limit'>,
    caller: SearchCaller = {},
  ): Promise<readonly string[]> {
    await this.#waitForBuild(caller);
    return newestConversations(this.#sync.index, request);
  }

  /**
   * The number of messages whose content has each of `words`, and of all messages. Titles do not count,
   * because a title is indexed with every message of its conversation; in scripts without spaces they do.
   * It does not wait for a build. Until the index changes, each word is counted once.
   */
  async frequencies(words: readonly string[]): Promise<{ documents: number; counts: number[] }> {
    const { text } = this.#sync.index;
    const counts: number[] = [];
    for (const word of words) {
      const { version } = text;
      if (version !== this.#frequencies.version) this.#frequencies = { version, counts: new Map() };
      const known = this.#frequencies.counts.get(word);
      const count = known ?? (await this.#countOf(word));
      if (version === text.version) this.#frequencies.counts.set(word, count);
      counts.push(count);
    }
    return { documents: text.size, counts };
  }

  async #countOf(word: string): Promise<number> {
    const [query, matchType] =
      cjkRunsOf(word).length > 0
        ? ([word, 'exact'] as const)
        : ([`{content} : "${word.replaceAll('"', ' ')}"`, 'fts5'] as const);
    return (await this.#sync.index.text.searchAsync(query, { matchType, limit: 1 })).total;
  }

  /** Which messages match, and how many. The index must be complete. Throws CANCELLED. */
  async matches(
    query: string,
    filters: MessageFilters,
    { signal }: SearchCaller = {},
  ): Promise<Matches> {
    const { index } = this.#sync;
    const accepts = documentFilter(index, filters);
    let isMatch = new Uint8Array(0);
    const { relaxed, total } = await index.text.searchAsync(query, {
      matchType: 'auto',
      limit: 1,
      onBegin: () => {
        isMatch = new Uint8Array(index.documentsEnd);
      },
      filter: (id) => {
        if (accepts?.(id) === false) return false;
        isMatch[Number(id)] = 1;
        return true;
      },
      ...(signal && { signal }),
    });
    return { total, relaxed, has: (message) => isMatch[index.documentOf(message) ?? -1] === 1 };
  }

  /** The index, for recall. It is complete when `built` has resolved. */
  get index(): MessageIndex {
    return this.#sync.index;
  }

  /** Whether a query has operators, quotes or column filters. */
  usesOperators(query: string): boolean {
    return this.#sync.index.text.usesOperators(query);
  }

  /** Resolves when the index is complete, without a time limit. Throws CANCELLED or FILESYSTEM_ERROR. */
  async built(caller: SearchCaller = {}): Promise<void> {
    await this.#waitForBuild({ ...caller, maxWaitMs: Number.POSITIVE_INFINITY });
  }

  status(): IndexStatus {
    const { isBuilt, index } = this.#sync;
    const { documents: messages, terms } = index.text.stats();
    return { isBuilt, messages, terms };
  }

  /** Saves the cache if enough has changed. The store's `close` ends a running build. */
  async close(): Promise<void> {
    clearTimeout(this.#warmUpTimer);
    await this.#sync.close();
  }

  /** Whether the index has every change that the store has reported. */
  get #isCurrent(): boolean {
    return this.#sync.isBuilt && this.#sync.applying === undefined;
  }

  #indexing(): Pick<MessageResults, 'indexing'> {
    return this.#isCurrent ? {} : { indexing: { ...this.#store.progress } };
  }

  async #waitForBuild(caller: SearchCaller): Promise<void> {
    const { signal, progress, maxWaitMs = WAIT_FOR_BUILD_MS } = caller;
    throwIfCancelled(signal);
    if (this.#isCurrent) return;
    const build = this.#sync.build('live');
    const deadline = this.#clock.monotonic() + maxWaitMs;
    for (;;) {
      const leftMs = deadline - this.#clock.monotonic();
      const applied = build.then(() => this.#sync.applying);
      await settledOrLater(applied, Math.max(0, Math.min(BUILD_REPORT_MS, leftMs)), signal);
      throwIfCancelled(signal);
      if (this.#isCurrent || leftMs <= BUILD_REPORT_MS) return;
      if (this.#sync.isClosed) throw new AppError('CANCELLED', 'The search was closed.');
      const { done, total } = this.#store.progress;
      progress?.({ progress: done, total, message: 'the search index is being built' });
    }
  }

  #run(
    { query, matchType, limit, offset }: MessageQuery,
    filters: MessageFilters,
    { signal }: SearchCaller,
  ): Promise<SearchResult> {
    const filter = documentFilter(this.#sync.index, filters);
    const options = { limit, offset, matchType, ...defined({ filter, signal }) };
    return this.#sync.index.text.searchAsync(query, options);
  }

  /** The results without the hits. `total` counts messages or conversations. */
  async #summary(
    request: MessageQuery,
    { relaxed, unknownWords }: SearchResult,
    total: number,
    caller: SearchCaller,
  ): Promise<Omit<MessageResults, 'hits'>> {
    const totalWith = async (others: MessageFilters) =>
      (await this.#run(request, others, caller)).total;
    const withoutFilter = total === 0 ? await totalsWithout(request.filters, totalWith) : {};
    return { total, relaxed, unknownWords, withoutFilter, ...this.#indexing() };
  }
}
