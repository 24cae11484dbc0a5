/**
 * The figures of all conversations. The first report reads them from a cache, and counts the files that the
 * cache does not have; after that they follow the store. Before the first report nothing is in memory.
 */

import { TimeSlice } from '../base/async/time-slice.js';
import { settledOrLater } from '../base/clock.js';
import { undefinedIfUnreadable } from '../base/errors.js';
import type { Log } from '../base/log.js';
import type { WordCount } from '../context/frequent-words.js';
import { SaveSchedule } from '../search/cache/save-schedule.js';
import type { SearchCaller } from '../search/messages/keyword-search.js';
import type { ConversationStore } from '../stores/conversations/conversations.js';
import { messagesOf } from '../stores/conversations/document/document.js';
import type { ConversationHead } from '../stores/conversations/document/schema.js';
import type { ConversationChange } from '../stores/conversations/files/conversation-catalogue.js';
import type { ConversationFigures, CountedConversation } from './conversation-figures.js';
import { frequentWordsIn, isCurrent } from './conversation-words.js';
import {
  type CachedFigures,
  figuresChunks,
  isOfVersion,
  loadFiguresCache,
} from './figures-cache.js';
import { figuresOf, type MessageFigures } from './message-figures.js';

/** A change with more new messages is counted in slices when the next report is made. */
const MAX_COUNTED_AT_ONCE = 200;
const PROGRESS_MS = 250;
/** A conversation that changes while it is being counted is counted again, at most this many times in all. */
const MAX_TRIES = 3;

export interface FiguresOptions {
  readonly store: ConversationStore;
  /** `undefined`: the figures are always counted from the files. */
  readonly cachePath?: string | undefined;
  readonly log: Log;
}

/** Its `progress` gets MB of files. */
export type FiguresCaller = Omit<SearchCaller, 'maxWaitMs'>;

export class Figures {
  readonly #store: ConversationStore;
  readonly #saves: SaveSchedule;
  readonly #cacheFile: { readonly path: string; readonly log: Log } | undefined;
  readonly #counted = new Map<string, CountedConversation>();
  /** By id of conversations whose figures are of an earlier version: another object for each later version. */
  readonly #outdated = new Map<string, object>();
  readonly #callers = new Set<FiguresCaller>();
  readonly #closing = new AbortController();
  #beginning: Promise<void> | undefined;
  #counting: Promise<void> | undefined;
  #stopFollowing: (() => void) | undefined;
  #cached = new Map<string, CachedFigures>();
  /** Sizes of the conversations that are being counted. */
  #bytes = { done: 0, total: 0 };
  /** Messages since the start: counted (`changed`), and removed from the count (`dropped`). */
  #changes = { changed: 0, dropped: 0 };

  constructor({ store, cachePath: path, log }: FiguresOptions) {
    this.#store = store;
    this.#cacheFile = path === undefined ? undefined : { path, log };
    this.#saves = new SaveSchedule(this.#cacheFile, () => ({
      isCurrent: true, // conversations with figures of an earlier version are left out
      size: [...this.#counted.values()].reduce((sum, { messages }) => sum + messages.length, 0),
      ...this.#changes,
      chunks: () => figuresChunks((id) => this.#current(id), store),
    }));
  }

  /** Of all readable conversations, now. Throws the reason of the signal, or FILESYSTEM_ERROR. */
  async all(caller: FiguresCaller = {}): Promise<Iterable<ConversationFigures>> {
    this.#callers.add(caller);
    try {
      this.#beginning ??= this.#begin();
      await this.#beginning;
      for (let tries = 0; ; tries += 1) {
        const heads = await this.#store.list(); // detects changes and notifies the follower
        this.#throwIfOver(caller.signal);
        this.#useCached();
        const ids = this.#uncountedOf(heads);
        if (ids.length === 0 || tries >= MAX_TRIES) return this.#counted.values();
        await this.#untilCounted(ids, caller);
      }
    } finally {
      this.#callers.delete(caller);
    }
  }

  /**
   * The words that most messages of a conversation have, at most 40. The first call reads the conversation.
   * For more than 4 million characters, the counts are estimated from a part of its messages.
   */
  async wordsOf({ head, messages }: ConversationFigures): Promise<readonly WordCount[]> {
    const id = head.conversationId;
    const { words: known } = this.#counted.get(id) ?? {};
    if (known !== undefined && isCurrent(known, messages.length)) return known.words;
    const view = await undefinedIfUnreadable(this.#store.view(id)); // deleted or damaged meanwhile
    if (view === undefined) return [];
    const words = await frequentWordsIn(messagesOf(view));
    const counted = this.#counted.get(id);
    if (counted?.messages === messages) {
      this.#counted.set(id, { ...counted, words });
      this.#changes.changed += messages.length;
    }
    return words.words;
  }

  /** Ends a running count. Saves the cache if a save is due. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('The store was closed.'));
    await this.#beginning;
    await this.#counting?.catch(() => undefined);
    this.#saves.stop();
    await this.#saves.save();
    this.#stopFollowing?.();
  }

  async #begin(): Promise<void> {
    if (this.#cacheFile !== undefined) this.#cached = await loadFiguresCache(this.#cacheFile);
    this.#stopFollowing = this.#store.followFromNow((change) => this.#apply(change));
    this.#saves.start();
  }

  #throwIfOver(signal: AbortSignal | undefined): void {
    signal?.throwIfAborted();
    this.#closing.signal.throwIfAborted();
  }

  /** The conversations without figures, or with figures of an earlier version. */
  #uncountedOf(heads: readonly ConversationHead[]): readonly string[] {
    const ids = heads.map(({ conversationId }) => conversationId);
    return ids.filter((id) => !this.#counted.has(id) || this.#outdated.has(id));
  }

  /** Takes over the figures of the cache that are of the present versions. */
  #useCached(): void {
    if (this.#cached.size === 0) return;
    for (const { stamp, head } of this.#store.known()) {
      const id = head.conversationId;
      const cached = this.#cached.get(id);
      if (cached === undefined || this.#counted.get(id)?.words !== undefined) continue;
      if (!isOfVersion(cached, stamp, head.messageCount)) continue;
      const { messages, words } = cached;
      this.#counted.set(id, { head, messages, ...(words && { words }) });
      this.#cached.delete(id);
    }
    for (const { messages } of this.#cached.values()) this.#changes.dropped += messages.length;
    this.#cached.clear();
  }

  /** Waits for the running count, or starts one. */
  async #untilCounted(ids: readonly string[], { signal, progress }: FiguresCaller): Promise<void> {
    let isOver = false;
    this.#counting ??= this.#count(ids).finally(() => {
      this.#counting = undefined;
    });
    const counting = this.#counting.finally(() => {
      isOver = true;
    });
    while (!isOver) {
      await settledOrLater(counting, PROGRESS_MS, signal);
      this.#throwIfOver(signal);
      const { done, total } = this.#bytes;
      if (isOver || total === 0) continue;
      progress?.({ progress: toMegabytes(done), total: toMegabytes(total), message: 'MB counted' });
    }
  }

  async #count(ids: readonly string[]): Promise<void> {
    const known = [...this.#store.known()];
    const sizes = new Map(known.map(({ stamp, head }) => [head.conversationId, stamp.size]));
    const uncounted = ids.map((id) => ({ id, bytes: Number(sizes.get(id) ?? 0n) }));
    this.#bytes = { done: 0, total: uncounted.reduce((sum, { bytes }) => sum + bytes, 0) };
    for (const { id, bytes } of uncounted) {
      if (this.#isAbandoned()) return;
      const { done } = this.#bytes;
      await this.#countOne(id, (share) => {
        this.#bytes.done = Math.round(done + share * bytes);
      });
    }
    void this.#saves.save();
  }

  /** Whether every caller has been cancelled, or the store is being closed. */
  #isAbandoned(): boolean {
    if (this.#closing.signal.aborted) return true;
    return [...this.#callers].every(({ signal }) => signal?.aborted === true);
  }

  /** Counts in slices, because a conversation may have a hundred thousand messages. */
  async #countOne(id: string, report: (share: number) => void): Promise<void> {
    const slice = new TimeSlice();
    const version = this.#outdated.get(id);
    const before = this.#counted.get(id);
    const view = await undefinedIfUnreadable(this.#store.view(id)); // missing or damaged
    if (view !== undefined) {
      const messages: MessageFigures[] = [];
      for (const message of messagesOf(view)) {
        messages.push(figuresOf(message));
        if (!slice.isSpent()) continue;
        report(0.5 + messages.length / view.head.messageCount / 2);
        await slice.yield();
      }
      // Changes and deletions in the meantime were already applied, or are counted by the next try.
      const isGone = this.#store.knownHead(id) === undefined;
      const isSame = this.#counted.get(id) === before && this.#outdated.get(id) === version;
      if (!isGone && isSame) {
        const words = before?.words;
        this.#set(id, { head: view.head, messages, ...(words && { words }) });
        this.#outdated.delete(id);
      }
    }
    report(1);
    if (slice.isSpent()) await slice.yield();
  }

  /** The figures of the version that the store has read. */
  #current(id: string): CountedConversation | undefined {
    return this.#outdated.has(id) ? undefined : this.#counted.get(id);
  }

  #apply({ conversationId: id, document, unchangedMessages }: ConversationChange): void {
    const known = this.#counted.get(id);
    if (document === undefined) {
      this.#changes.dropped += known?.messages.length ?? 0;
      this.#counted.delete(id);
      this.#outdated.delete(id);
      return;
    }
    const { head } = document;
    const same = this.#outdated.has(id) ? [] : (known?.messages.slice(0, unchangedMessages) ?? []);
    const words = unchangedMessages >= (known?.messages.length ?? 0) ? known?.words : undefined;
    if (head.messageCount - same.length > MAX_COUNTED_AT_ONCE) {
      this.#outdated.set(id, {});
      // The words of a changed text are wrong. Those of a text that only became longer can be used.
      if (known !== undefined && words === undefined)
        this.#counted.set(id, { head: known.head, messages: known.messages });
      return;
    }
    const added = messagesOf(document, same.length).map(figuresOf);
    this.#set(id, { head, messages: [...same, ...added], ...(words && { words }) }, same.length);
    this.#outdated.delete(id);
  }

  /** `unchanged`: number of messages, from the first, whose figures are the same as before. */
  #set(id: string, counted: CountedConversation, unchanged = 0): void {
    const before = this.#counted.get(id)?.messages.length ?? 0;
    this.#changes.changed += counted.messages.length - unchanged;
    this.#changes.dropped += before - Math.min(before, unchanged);
    this.#counted.set(id, counted);
  }
}

const toMegabytes = (bytes: number) => Math.ceil(bytes / 100_000) / 10;
