/**
 * Keeps the message index of a process up to date with the store: it builds the index from the cache and
 * the files, applies every change of the store, and saves the cache for the next start. Searches during a
 * build or a save return correct results.
 */

import { TimeSlice } from '../../base/async/time-slice.js';
import type { Clock } from '../../base/clock.js';
import type { Log } from '../../base/log.js';
import type { ConversationStore } from '../../stores/conversations/conversations.js';
import type { ConversationChange } from '../../stores/conversations/files/conversation-catalogue.js';
import { type IndexCacheOptions, indexChunks, loadIndexCache } from '../cache/index-cache.js';
import { SaveSchedule } from '../cache/save-schedule.js';
import { ChangeQueue } from '../change-queue.js';
import { MessageIndex } from './message-index.js';

export interface IndexSyncOptions {
  readonly store: ConversationStore;
  /** `undefined`: the index is always built from the files. */
  readonly cachePath: string | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

export class IndexSync {
  readonly index = new MessageIndex();
  readonly #options: IndexSyncOptions;
  readonly #cache: IndexCacheOptions | undefined;
  readonly #saves: SaveSchedule;
  #building: Promise<void> | undefined;
  #hasBegun = false;
  #isBuilt = false;
  #isClosed = false;
  readonly #changes: ChangeQueue;

  constructor(options: IndexSyncOptions) {
    const { cachePath: path, store, log } = options;
    this.#options = options;
    this.#cache = path === undefined ? undefined : { path, index: this.index, store, log };
    this.#changes = new ChangeQueue(log);
    this.#saves = new SaveSchedule(this.#cache, () => ({
      isCurrent: this.#changes.hasAll,
      size: this.index.text.size,
      changed: this.index.changedDocuments,
      dropped: this.index.droppedDocuments,
      chunks: () => indexChunks({ index: this.index, store }),
    }));
  }

  get isBuilt(): boolean {
    return this.#isBuilt;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** The application of pending changes; `undefined` if there are none. */
  get applying(): Promise<void> | undefined {
    return this.#changes.applying;
  }

  /** Resolves when the index is complete. After an error (FILESYSTEM_ERROR) the next call tries again. */
  build(mode: 'live' | 'once'): Promise<void> {
    this.#building ??= this.#build(mode).catch((error: unknown) => {
      this.#building = undefined;
      this.#options.log.error({ err: error }, 'the search index could not be built');
      throw error;
    });
    return this.#building;
  }

  async close(): Promise<void> {
    this.#saves.stop();
    this.#isClosed = true;
    this.#changes.close();
    if (this.#isBuilt) await this.#saves.save();
  }

  async #build(mode: 'live' | 'once'): Promise<void> {
    const { store } = this.#options;
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      await this.#load();
    }
    await (mode === 'live' ? store.watch() : store.refresh());
    if (this.#isClosed) return;
    this.#isBuilt = true;
    if (mode === 'once') return;
    this.#saves.start();
    void this.#prepare();
  }

  /** Builds the term tree ahead of time, because the first prefix search would otherwise wait for it. */
  async #prepare(): Promise<void> {
    const slice = new TimeSlice();
    while (!this.#isClosed && this.index.text.prepare()) if (slice.isSpent()) await slice.yield();
  }

  /** Loads the cache. It needs an empty index, so changes during the load are applied afterwards. */
  async #load(): Promise<void> {
    const { store } = this.#options;
    const waiting: ConversationChange[] = [];
    let follow = (change: ConversationChange): Promise<void> | undefined => {
      waiting.push(change);
      return undefined;
    };
    store.follow((change) => follow(change));
    const cache = this.#cache;
    if (cache !== undefined) await store.seedBy(() => loadIndexCache(cache));
    follow = (change) => this.#changes.add(this.index.steps(change));
    for (const change of waiting) void follow(change);
    await this.applying;
  }
}
