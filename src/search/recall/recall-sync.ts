/**
 * The recall index of a running process. The first question builds it from its cache and the files; then it
 * follows the store. Until then there is no index.
 */

import { TimeSlice } from '../../base/async/time-slice.js';
import { undefinedIfUnreadable } from '../../base/errors.js';
import type { Log } from '../../base/log.js';
import type { MessageSource, MessageSources } from '../../recall/message-text.js';
import { RecallIndex } from '../../recall/recall-index.js';
import type { ConversationStore } from '../../stores/conversations/conversations.js';
import { messagesOf } from '../../stores/conversations/document/document.js';
import type { Message } from '../../stores/conversations/document/schema.js';
import type { ConversationChange } from '../../stores/conversations/files/conversation-catalogue.js';
import {
  fillFromRecallCache,
  loadRecallCache,
  type RecallCache,
  recallChunks,
} from '../cache/recall-cache.js';
import { SaveSchedule } from '../cache/save-schedule.js';
import { ChangeQueue } from '../change-queue.js';
import type { KeywordSearch } from '../messages/keyword-search.js';
import { speakerOf } from './speaker-name.js';

export interface RecallSyncOptions {
  readonly store: ConversationStore;
  /** Its index is built first, because the store has then read every conversation. */
  readonly search: KeywordSearch;
  /** `undefined`: the index is always built from the files. */
  readonly cachePath?: string | undefined;
  readonly log: Log;
}

export class RecallSync {
  #index: RecallIndex | undefined;
  readonly #options: RecallSyncOptions;
  readonly #closing = new AbortController();
  readonly #saves: SaveSchedule;
  #building: Promise<void> | undefined;
  #isBuilt = false;
  #stopFollowing: (() => void) | undefined;
  #progress = { done: 0, total: 0 };
  readonly #changes: ChangeQueue;

  constructor(options: RecallSyncOptions) {
    this.#options = options;
    const { store, log } = options;
    this.#changes = new ChangeQueue(log);
    this.#saves = new SaveSchedule(this.#cacheFile, () => ({
      isCurrent: this.#changes.hasAll,
      size: this.index.stats().messages,
      ...this.index.counters,
      chunks: () => recallChunks(this.index, store),
    }));
  }

  /** Made when it is first needed: it begins with the function words of all languages. */
  get index(): RecallIndex {
    this.#index ??= new RecallIndex();
    return this.#index;
  }

  get #cacheFile() {
    const { cachePath: path, log } = this.#options;
    return path === undefined ? undefined : { path, log };
  }

  get isBuilt(): boolean {
    return this.#isBuilt;
  }

  /** Conversations that this or the last build has read, and must read because no cache has them. */
  get progress(): { readonly done: number; readonly total: number } {
    return this.#progress;
  }

  /** Resolves when the index has all changes that this process has seen. */
  async settled(): Promise<void> {
    while (this.#changes.applying !== undefined) await this.#changes.applying;
  }

  /** Resolves when the index is complete. After an error (FILESYSTEM_ERROR) the next call tries again. */
  build(): Promise<void> {
    this.#building ??= this.#build().catch((error: unknown) => {
      this.#building = undefined;
      if (this.#closing.signal.aborted) throw error;
      this.#options.log.error({ err: error }, 'the recall index could not be built');
      throw error;
    });
    return this.#building;
  }

  /** Ends a running build. A complete index is saved if a save is due. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#changes.close();
    await this.#building?.catch(() => undefined);
    await this.#changes.applying;
    this.#saves.stop();
    if (this.#isBuilt) await this.#saves.save();
    this.#stopFollowing?.();
  }

  async #build(): Promise<void> {
    const { store, search } = this.#options;
    const { signal } = this.#closing;
    const [cache] = await Promise.all([this.#loadCache(), search.built({ signal })]);
    this.#stopFollowing ??= store.followFromNow((change) => this.#apply(change));
    if (cache !== undefined) fillFromRecallCache(cache, this.index, store);
    const ids = [...store.known()].map(({ head }) => head.conversationId);
    const unread = ids.filter((id) => !this.index.has(id));
    const slice = new TimeSlice({ signal });
    this.#progress = { done: 0, total: unread.length };
    for (const id of unread) {
      if (!this.index.has(id)) await this.#read(id);
      this.#progress.done += 1;
      if (slice.isSpent()) await slice.yield();
    }
    this.#isBuilt = true;
    this.#saves.start();
  }

  /** `undefined` if an earlier build failed, because the index is then not empty. */
  async #loadCache(): Promise<RecallCache | undefined> {
    const file = this.#cacheFile;
    const isEmpty = this.#stopFollowing === undefined;
    return file !== undefined && isEmpty ? loadRecallCache(file) : undefined;
  }

  async #read(conversationId: string): Promise<void> {
    const { store } = this.#options;
    const view = await undefinedIfUnreadable(store.view(conversationId));
    await this.settled();
    // If the conversation changed during the read, its change event has put or deleted it.
    const isThere = store.knownHead(conversationId) !== undefined;
    if (view === undefined || !isThere || this.index.has(conversationId)) return;
    void this.#changes.add(this.index.putInSteps(conversationId, sourcesOf(messagesOf(view))));
    await this.settled();
  }

  #apply({ conversationId, document, unchangedMessages }: ConversationChange): void {
    void this.#changes.add(
      document === undefined
        ? this.#deletion(conversationId)
        : this.index.putInSteps(
            conversationId,
            sourcesOf(document.snapshot().messages),
            unchangedMessages,
          ),
    );
  }

  // biome-ignore lint/correctness/useYield: one step
  *#deletion(conversationId: string): Generator<undefined, void> {
    this.index.delete(conversationId);
  }
}

/** Makes a source only when it is read: most messages of a changed conversation are indexed already. */
const sourcesOf = (messages: readonly Message[]): MessageSources => ({
  length: messages.length,
  at: (index) => messages[index] && sourceOf(messages[index]),
});

function sourceOf(message: Message): MessageSource {
  const { role, content, createdAt } = message;
  return { role, content, time: Date.parse(createdAt), speaker: speakerOf(message) };
}
