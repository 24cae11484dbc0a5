/**
 * Searching the messages of all conversations: the facade that tools use. Builds the index from the
 * files (or from the cache, checked against the files), keeps it current by following the store, and
 * answers with snippets cut from what is on disk now.
 */
import { type Clock, sleep } from '../base/clock.js';
import type { Log } from '../base/log.js';
import type { ConversationStore } from '../stores/conversations.js';
import { rankConversations } from './conversation-hits.js';
import { loadIndexCache, saveIndexCache } from './index-cache.js';
import { documentFilter, hitsOf, type MessageFilters, type MessageHit } from './message-hits.js';
import { MessageIndex } from './message-index.js';
import {
  type Newest,
  type NewestRequest,
  newestConversations,
  newestMessages,
} from './newest-messages.js';
import type { SearchResult } from './search-result.js';
import type { SnippetOptions } from './snippet.js';
import type { MatchType } from './text-index.js';

export type { MessageFilters, MessageHit };

/** Longer than most builds; a client would give up after a minute. */
const WAIT_FOR_BUILD_MS = 20_000;
const PROGRESS_MS = 500;
/** Fewer documents are indexed faster than a cache is worth. */
const WORTH_CACHING = 2_000;
const WORTH_SAVING_AGAIN = 500;
const SAVE_EVERY_MS = 5 * 60_000;
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
  /** With no hits: words that no message has, and what each filter alone kept out. */
  readonly unknownWords: readonly string[];
  readonly withoutFilter: Readonly<Record<string, number>>;
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
  progress?(report: { progress: number; total: number; message: string }): void;
}

export interface MessageSearchOptions {
  readonly store: ConversationStore;
  /** `undefined`: the index is always built from the files. */
  readonly cachePath: string | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

export function openMessageSearch(options: MessageSearchOptions): MessageSearch {
  return new MessageSearch(options);
}

export class MessageSearch {
  readonly #options: MessageSearchOptions;
  readonly #index = new MessageIndex();
  #built: Promise<void> | undefined;
  #isBuilt = false;
  #isClosed = false;
  #savedAt = 0;
  #saveTimer: NodeJS.Timeout | undefined;

  constructor(options: MessageSearchOptions) {
    this.#options = options;
  }

  /** Begins to build the index, if nothing has yet; nothing waits for it but the searches. */
  start(): void {
    this.#built ??= this.#build().catch((error: unknown) => {
      this.#options.log.error({ err: error }, 'the search index could not be built');
    });
  }

  /** QUERY_SYNTAX (matchType fts5), CONVERSATION_NOT_FOUND (filter), CANCELLED. */
  async search(request: MessageQuery, caller: SearchCaller = {}): Promise<MessageResults> {
    await this.#waitForBuild(caller);
    for (let tries = 1; ; tries += 1) {
      const before = this.#index.changedDocuments;
      const result = await this.#run(request, request.filters, caller);
      const hits = await hitsOf(result, result.hits, this.#options.store, request.snippet);
      const isCurrent =
        before === this.#index.changedDocuments && hits.length === result.hits.length;
      if (!isCurrent && tries < MAX_TRIES) continue;
      return {
        total: result.total,
        hits,
        relaxed: result.relaxed,
        unknownWords: result.unknownWords,
        withoutFilter: result.total === 0 ? await this.#withoutFilters(request, caller) : {},
        ...this.#indexing(),
      };
    }
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
    const filter = documentFilter(this.#index, request.filters);
    const options = { matchType, ...(filter && { filter }), ...(signal && { signal }) };
    const asked = { query, limit, offset, perConversation, options };
    const { total, result, page } = await rankConversations(this.#index, asked);
    const conversations: ConversationHits[] = [];
    for (const { conversationId, matchCount, best } of page) {
      const hits = await hitsOf(result, best, this.#options.store, request.snippet);
      if (hits.length > 0) conversations.push({ conversationId, matchCount, hits });
    }
    const { relaxed, unknownWords } = result;
    return {
      ...{ total, relaxed, unknownWords, conversations },
      withoutFilter: total === 0 ? await this.#withoutFilters(request, caller) : {},
      ...this.#indexing(),
    };
  }

  /** Newest messages first, of all conversations. CANCELLED. */
  async newest(
    request: NewestRequest,
    caller: SearchCaller = {},
  ): Promise<Newest & Pick<MessageResults, 'indexing'>> {
    await this.#waitForBuild(caller);
    return { ...newestMessages(this.#index, request), ...this.#indexing() };
  }

  /** Ids of the conversations that were talked in last. CANCELLED. */
  async newestConversations(
    request: Pick<NewestRequest, 'module' | 'limit'>,
    caller: SearchCaller = {},
  ): Promise<readonly string[]> {
    await this.#waitForBuild(caller);
    return newestConversations(this.#index, request);
  }

  /** In how many messages each of `words` occurs, and how many there are. Waits for no build. */
  async frequencies(words: readonly string[]): Promise<{ documents: number; counts: number[] }> {
    const counts: number[] = [];
    for (const word of words) {
      const { total } = await this.#index.text.searchAsync(word, { matchType: 'exact', limit: 1 });
      counts.push(total);
    }
    return { documents: this.#index.text.size, counts };
  }

  /** Facts for `store_info`. */
  status() {
    const { documents, terms, frozenBytes } = this.#index.text.stats();
    return { messages: documents, terms, frozenBytes, isBuilt: this.#isBuilt };
  }

  async close(): Promise<void> {
    clearInterval(this.#saveTimer);
    this.#isClosed = true;
    if (this.#isBuilt) await this.#save();
  }

  #indexing(): Pick<MessageResults, 'indexing'> {
    return this.#isBuilt ? {} : { indexing: this.#options.store.progress };
  }

  async #build(): Promise<void> {
    const { store, cachePath, log } = this.#options;
    store.follow((change) => this.#index.apply(change));
    if (cachePath !== undefined) await loadIndexCache(cachePath, this.#index, store, log);
    await store.watch();
    this.#isBuilt = true;
    if (this.#isClosed) return;
    await this.#save();
    this.#saveTimer = setInterval(() => void this.#save(), SAVE_EVERY_MS).unref();
  }

  async #save(): Promise<void> {
    const { store, cachePath, log } = this.#options;
    const { changedDocuments, text } = this.#index;
    const isWorthIt =
      text.size >= WORTH_CACHING && changedDocuments - this.#savedAt >= WORTH_SAVING_AGAIN;
    if (cachePath === undefined || !isWorthIt) return;
    this.#savedAt = changedDocuments;
    await saveIndexCache(cachePath, this.#index, store, log);
  }

  async #waitForBuild({ signal, progress }: SearchCaller): Promise<void> {
    this.start();
    const { store, clock } = this.#options;
    const deadline = clock.monotonic() + WAIT_FOR_BUILD_MS;
    while (!this.#isBuilt && clock.monotonic() < deadline) {
      const { done, total } = store.progress;
      progress?.({ progress: done, total, message: 'the search index is being built' });
      await Promise.race([this.#built, sleep(PROGRESS_MS, signal)]);
    }
  }

  #run(
    { query, matchType, limit, offset }: MessageQuery,
    filters: MessageFilters,
    { signal }: SearchCaller,
  ): Promise<SearchResult> {
    const filter = documentFilter(this.#index, filters);
    return this.#index.text.searchAsync(query, {
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
  ): Promise<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const name of ['conversationId', 'module', 'role', 'startTime', 'endTime'] as const) {
      const { [name]: dropped, ...others } = request.filters;
      if (dropped === undefined) continue;
      counts[name] = (await this.#run(request, others, caller)).total;
    }
    return counts;
  }
}
