/**
 * Searching the messages of all conversations: the facade that tools use. Builds the index from the
 * files (or from the cache, checked against the files), keeps it current by following the store, and
 * answers with snippets cut from what is on disk now. The cache is kept by `kept-index.ts`.
 */
import type { Clock } from '../base/clock.js';
import { sleep } from '../base/clock.js';
import { isAppError } from '../base/errors.js';
import type { Log } from '../base/log.js';
import type { Conversation, Role } from '../stores/conversations/schema.js';
import type { ConversationStore } from '../stores/conversations.js';
import { KeptIndex } from './kept-index.js';
import { parseDocumentId } from './message-index.js';
import type { SearchResult } from './search-result.js';
import { throwIfCancelled } from './search-run.js';
import type { SnippetOptions } from './snippet.js';
import type { DocumentId, MatchType } from './text-index.js';

/** Longer than most builds; a client would give up after a minute. */
const WAIT_FOR_BUILD_MS = 20_000;
const PROGRESS_MS = 500;
/** A hit that changed on disk a moment ago changes the answer; so often it is asked again. */
const MAX_TRIES = 3;

export interface MessageFilters {
  /** Conversation ids. */
  readonly conversationId?: string;
  readonly module?: string;
  readonly role?: Role;
  /** Epoch milliseconds, both included. */
  readonly startTime?: number;
  readonly endTime?: number;
}

export interface MessageQuery {
  readonly query: string;
  readonly matchType: MatchType;
  readonly filters: MessageFilters;
  readonly limit: number;
  readonly offset: number;
  readonly snippet?: SnippetOptions;
}

export interface MessageHit {
  readonly conversationId: string;
  readonly messageId: string;
  readonly seq: number;
  /** Among all matches, from 0. */
  readonly place: number;
  readonly role: Role;
  readonly createdAt: string;
  readonly content: string;
  readonly snippet: string;
  /** As FTS5's bm25(): smaller is better. */
  readonly rank: number;
  readonly title?: string;
  readonly module?: string;
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
    const { index } = this.#kept;
    for (let tries = 1; ; tries += 1) {
      const before = index.changedDocuments;
      const result = await this.#run(request, request.filters, caller);
      const hits = await this.#hits(result, request, caller);
      const isCurrent = before === index.changedDocuments && hits.length === result.hits.length;
      if (!isCurrent && tries < MAX_TRIES) continue;
      return {
        total: result.total,
        hits,
        relaxed: result.relaxed,
        unknownWords: result.unknownWords,
        withoutFilter: result.total === 0 ? await this.#withoutFilters(request, caller) : {},
        ...(this.#kept.isBuilt ? {} : { indexing: { ...this.#store.progress } }),
      };
    }
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
    const filter = this.#predicate(filters);
    return this.#kept.index.text.searchAsync(query, {
      limit,
      offset,
      matchType,
      ...(filter === undefined ? {} : { filter }),
      ...(signal === undefined ? {} : { signal }),
    });
  }

  /** `undefined` where nothing is filtered. */
  #predicate(filters: MessageFilters): ((id: DocumentId) => boolean) | undefined {
    const { conversationId, module, role, startTime, endTime } = filters;
    if (Object.values(filters).every((value) => value === undefined)) return undefined;
    return (id) => {
      const place = parseDocumentId(id);
      if (conversationId !== undefined && place.conversationId !== conversationId) return false;
      const indexed = this.#kept.index.get(place.conversationId);
      if (indexed === undefined) return false;
      const time = indexed.times[place.seq - 1] ?? 0;
      return (
        (module === undefined || indexed.module === module) &&
        (role === undefined || indexed.roles[place.seq - 1] === role) &&
        (startTime === undefined || time >= startTime) &&
        (endTime === undefined || time <= endTime)
      );
    };
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

  /** A hit that cannot be read any more is left out, and the index learns that it is gone. */
  async #hits(
    result: SearchResult,
    { snippet = {}, offset }: MessageQuery,
    { signal }: SearchCaller,
  ): Promise<MessageHit[]> {
    const hits: MessageHit[] = [];
    for (const [position, { id, rank }] of result.hits.entries()) {
      throwIfCancelled(signal);
      const { conversationId, seq } = parseDocumentId(id);
      const conversation = await this.#load(conversationId);
      const message = conversation?.messages[seq - 1];
      if (conversation === undefined || message === undefined) {
        await this.#store.lookAt(conversationId);
        continue;
      }
      const { role, content, createdAt } = message;
      const { title, module } = conversation;
      hits.push({
        ...{ conversationId, messageId: message.id, seq, place: offset + position, role },
        ...{ createdAt, content, snippet: result.snippet(id, { content }, snippet), rank },
        ...(title === undefined ? {} : { title }),
        ...(module === undefined ? {} : { module }),
      });
    }
    return hits;
  }

  async #load(conversationId: string): Promise<Conversation | undefined> {
    try {
      return await this.#store.load(conversationId);
    } catch (error) {
      // It vanished or was damaged since it was indexed; everything else is still an answer.
      if (isAppError(error)) return undefined;
      throw error;
    }
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
