/**
 * Searching the messages of all conversations: the facade that tools use. Builds the index from the
 * files (or from the cache, checked against the files), keeps it current by following the store, and
 * answers with snippets cut from what is on disk now. The cache is kept by `kept-index.ts`.
 */
import { type Clock, sleep } from '../base/clock.js';
import type { Log } from '../base/log.js';
import type { ConversationStore } from '../stores/conversations.js';
import { rankConversations } from './conversation-hits.js';
import { KeptIndex } from './kept-index.js';
import { documentFilter, hitsOf, type MessageFilters, type MessageHit } from './message-hits.js';
import {
  type Newest,
  type NewestRequest,
  newestConversations,
  newestMessages,
} from './newest-messages.js';
import type { MatchType } from './search-modes.js';
import type { SearchResult } from './search-result.js';
import { throwIfCancelled } from './search-run.js';
import type { SnippetOptions } from './snippet.js';

export type { MessageFilters, MessageHit };

/** Longer than most builds; a client would give up after a minute. */
const WAIT_FOR_BUILD_MS = 20_000;
const PROGRESS_MS = 500;
/** A hit that changed on disk a moment ago changes the answer; so often it is asked again. */
const MAX_TRIES = 3;

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
  /** With no match: words that no message has. */
  readonly unknownWords: readonly string[];
  /** With no match: how many there would be without one of the filters, and without all of them. */
  readonly withoutFilter: Readonly<Partial<Record<keyof MessageFilters | 'all', number>>>;
  /** While the index is being built: conversations done, of how many. */
  readonly indexing?: { readonly done: number; readonly total: number };
}

export interface ConversationHits {
  readonly conversationId: string;
  /** Messages of it that match. */
  readonly matchCount: number;
  /** The best of them. */
  readonly hits: readonly MessageHit[];
}

export interface ConversationResults extends Omit<MessageResults, 'hits'> {
  readonly conversations: readonly ConversationHits[];
}

export interface SearchCaller {
  readonly signal?: AbortSignal;
  /** How long to wait for an index that is being built; then what there is of it answers. */
  readonly patienceMs?: number;
  progress?(report: { progress: number; total: number; message: string }): void;
}

export interface MessageSearchOptions {
  readonly store: ConversationStore;
  /** `undefined`: the index is always built from the files. */
  readonly cachePath: string | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** Facts for `store_info`. */
export interface IndexStatus {
  readonly isBuilt: boolean;
  readonly messages: number;
  readonly terms: number;
  readonly frozenBytes: number;
}

/** Reads nothing until the first search or `start`. */
export function openMessageSearch(options: MessageSearchOptions): MessageSearch {
  return new MessageSearch(options);
}

export class MessageSearch {
  readonly #store: ConversationStore;
  readonly #clock: Clock;
  readonly #kept: KeptIndex;

  constructor(options: MessageSearchOptions) {
    this.#store = options.store;
    this.#clock = options.clock;
    this.#kept = new KeptIndex(options);
  }

  /**
   * Begins to build the index, if nothing has yet; nothing waits for it but the searches. `live`, the
   * default, keeps it current with the folder until `close`; `once` looks at the files one time, for
   * commands that end.
   */
  start(mode: 'live' | 'once' = 'live'): void {
    this.#kept.build(mode).catch(() => undefined); // logged; the next search tries again and tells
  }

  /** QUERY_SYNTAX (matchType fts5), CANCELLED, FILESYSTEM_ERROR (the folder cannot be read). */
  async search(request: MessageQuery, caller: SearchCaller = {}): Promise<MessageResults> {
    await this.#waitForBuild(caller);
    const place = { index: this.#kept.index, store: this.#store };
    const { result, hits } = await this.#settled(async () => {
      const result = await this.#run(request, request.filters, caller);
      return {
        result,
        ...(await hitsOf(result, result.hits, { ...request, ...caller, ...place })),
      };
    });
    const { total, relaxed, unknownWords } = result;
    return {
      ...{ total, hits, relaxed, unknownWords },
      withoutFilter: total === 0 ? await this.#withoutFilters(request, caller) : {},
      ...this.#indexing(),
    };
  }

  /**
   * The same, one result a conversation with its best `perConversation` messages: `total`, `limit`
   * and `offset` count conversations. QUERY_SYNTAX (matchType fts5), CANCELLED.
   */
  async searchConversations(
    request: MessageQuery,
    perConversation: number,
    caller: SearchCaller = {},
  ): Promise<ConversationResults> {
    await this.#waitForBuild(caller);
    const { query, matchType, limit, offset } = request;
    const { signal } = caller;
    const filter = documentFilter(this.#kept.index, request.filters);
    const options = { matchType, ...(filter && { filter }), ...(signal && { signal }) };
    const asked = { query, limit, offset, perConversation, options };
    const place = { index: this.#kept.index, store: this.#store };
    const { ranking, conversations } = await this.#settled(async () => {
      const ranking = await rankConversations(this.#kept.index, asked);
      const conversations: ConversationHits[] = [];
      let isCurrent = true;
      for (const { conversationId, matchCount, best } of ranking.page) {
        const found = await hitsOf(ranking.result, best, { ...request, ...caller, ...place });
        const { hits } = found;
        isCurrent &&= found.isCurrent;
        if (hits.length > 0) conversations.push({ conversationId, matchCount, hits });
      }
      return { ranking, conversations, isCurrent };
    });
    const { total, result } = ranking;
    const { relaxed, unknownWords } = result;
    return {
      ...{ total, relaxed, unknownWords, conversations },
      withoutFilter: total === 0 ? await this.#withoutFilters(request, caller) : {},
      ...this.#indexing(),
    };
  }

  /** Asks again where a hit changed on disk since it was indexed: the answer may be another by now. */
  async #settled<T extends { readonly isCurrent: boolean }>(ask: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      const answer = await ask();
      if (answer.isCurrent || tries >= MAX_TRIES) return answer;
    }
  }

  /** Newest messages first, of all conversations. CANCELLED. */
  async newest(
    request: NewestRequest,
    caller: SearchCaller = {},
  ): Promise<Newest & Pick<MessageResults, 'indexing'>> {
    await this.#waitForBuild(caller);
    return { ...newestMessages(this.#kept.index, request), ...this.#indexing() };
  }

  /** Ids of the conversations that were talked in last. CANCELLED. */
  async newestConversations(
    request: Pick<NewestRequest, 'module' | 'limit'>,
    caller: SearchCaller = {},
  ): Promise<readonly string[]> {
    await this.#waitForBuild(caller);
    return newestConversations(this.#kept.index, request);
  }

  /** In how many messages each of `words` occurs, and how many there are. Waits for no build. */
  async frequencies(words: readonly string[]): Promise<{ documents: number; counts: number[] }> {
    const counts: number[] = [];
    for (const word of words) {
      const { total } = await this.#kept.index.text.searchAsync(word, {
        matchType: 'exact',
        limit: 1,
      });
      counts.push(total);
    }
    return { documents: this.#kept.index.text.size, counts };
  }

  /** Resolves when the index is complete, however long that takes. CANCELLED, FILESYSTEM_ERROR. */
  async built(caller: SearchCaller = {}): Promise<void> {
    await this.#waitForBuild({ ...caller, patienceMs: Number.POSITIVE_INFINITY });
  }

  status(): IndexStatus {
    const { isBuilt, index } = this.#kept;
    const { documents: messages, terms, frozenBytes } = index.text.stats();
    return { isBuilt, messages, terms, frozenBytes };
  }

  /** Saves the cache where that is worth it. A build that is under way ends with the store's `close`. */
  async close(): Promise<void> {
    await this.#kept.close();
  }

  #indexing(): Pick<MessageResults, 'indexing'> {
    return this.#kept.isBuilt ? {} : { indexing: { ...this.#store.progress } };
  }

  async #waitForBuild(caller: SearchCaller): Promise<void> {
    const { signal, progress, patienceMs = WAIT_FOR_BUILD_MS } = caller;
    throwIfCancelled(signal);
    if (this.#kept.isBuilt) return;
    const build = this.#kept.build('live');
    const deadline = this.#clock.monotonic() + patienceMs;
    for (;;) {
      const leftMs = deadline - this.#clock.monotonic();
      await settledOrLater(build, Math.max(0, Math.min(PROGRESS_MS, leftMs)), signal);
      throwIfCancelled(signal);
      if (this.#kept.isBuilt || leftMs <= PROGRESS_MS) return;
      const { done, total } = this.#store.progress;
      progress?.({ progress: done, total, message: 'the search index is being built' });
    }
  }

  #run(
    { query, matchType, limit, offset }: MessageQuery,
    filters: MessageFilters,
    { signal }: SearchCaller,
  ): Promise<SearchResult> {
    const filter = documentFilter(this.#kept.index, filters);
    return this.#kept.index.text.searchAsync(query, {
      limit,
      offset,
      matchType,
      ...(filter === undefined ? {} : { filter }),
      ...(signal === undefined ? {} : { signal }),
    });
  }

  async #withoutFilters(
    request: MessageQuery,
    caller: SearchCaller,
  ): Promise<MessageResults['withoutFilter']> {
    const names = ['conversationId', 'module', 'role', 'startTime', 'endTime'] as const;
    const given = names.filter((name) => request.filters[name] !== undefined);
    const counts: Partial<Record<keyof MessageFilters | 'all', number>> = {};
    for (const name of given) {
      const { [name]: _dropped, ...others } = request.filters;
      counts[name] = (await this.#run(request, others, caller)).total;
    }
    if (given.length > 1) counts.all = (await this.#run(request, {}, caller)).total;
    return counts;
  }
}

/** Rejects as `work` does; resolves once it has resolved, after `ms`, or when the signal is aborted. */
async function settledOrLater(
  work: Promise<unknown>,
  ms: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const over = new AbortController();
  const stop = signal === undefined ? over.signal : AbortSignal.any([signal, over.signal]);
  try {
    await Promise.race([work, sleep(ms, stop).catch(() => undefined)]);
  } finally {
    over.abort(); // or the timer would keep a command that is done alive
  }
}
