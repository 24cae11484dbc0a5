/**
 * Keeps the message index of a process in agreement with the store: builds it from the cache and the files,
 * applies every change of the store, and saves the cache from time to time for the next start. Searches
 * run while it builds and saves, and their answers stay correct.
 */
import type { Clock } from '../../base/clock.js';
import type { Log } from '../../base/log.js';
import { TimeSlice } from '../../base/time-slice.js';
import type { ConversationStore } from '../../stores/conversations/conversations.js';
import type { ConversationChange } from '../../stores/conversations/files/catalogue.js';
import { MessageIndex } from '../messages/message-index.js';
import {
  type IndexCacheOptions,
  loadIndexCache,
  removeIndexCache,
  saveIndexCache,
} from './index-cache.js';

/** Fewer documents are indexed so fast that they need no cache. */
const MIN_CACHED_DOCUMENTS = 2_000;
/** The cache is saved again after this many changed documents. */
const MIN_CHANGED_DOCUMENTS = 500;
const SAVE_INTERVAL_MS = 5 * 60_000;

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
  #building: Promise<void> | undefined;
  #hasBegun = false;
  #isBuilt = false;
  #isClosed = false;
  /** The counters of the index at the last save. */
  #saved = { changed: 0, dropped: 0 };
  #saving: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: IndexSyncOptions) {
    const { cachePath: path, store, log } = options;
    this.#options = options;
    this.#cache = path === undefined ? undefined : { path, index: this.index, store, log };
  }

  get isBuilt(): boolean {
    return this.#isBuilt;
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
    clearInterval(this.#timer);
    this.#isClosed = true;
    await this.#save();
  }

  async #build(mode: 'live' | 'once'): Promise<void> {
    const { store } = this.#options;
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      await this.#load();
    }
    await (mode === 'live' ? store.watch() : store.lookAtAll());
    if (this.#isClosed) return;
    this.#isBuilt = true;
    if (mode === 'once') return;
    this.#timer = setInterval(() => void this.#save(), SAVE_INTERVAL_MS).unref();
    void this.#save();
    void this.#prepare();
  }

  /** Builds the term tree ahead of time, because the first prefix search would otherwise wait for it. */
  async #prepare(): Promise<void> {
    const slice = new TimeSlice();
    while (!this.#isClosed && this.index.text.prepare()) if (slice.isSpent()) await slice.yield();
  }

  /** Loads the cache. It needs an empty index, so changes that arrive meanwhile are applied afterwards. */
  async #load(): Promise<void> {
    const { store } = this.#options;
    const waiting: ConversationChange[] = [];
    let follow = (change: ConversationChange) => {
      waiting.push(change);
    };
    store.follow((change) => follow(change));
    if (this.#cache !== undefined) await loadIndexCache(this.#cache);
    follow = (change) => this.index.apply(change);
    waiting.forEach(follow);
  }

  /** Saves one after another, and only a complete index. */
  #save(): Promise<void> {
    this.#saving = this.#saving.then(async () => {
      const { changedDocuments: changed, droppedDocuments: dropped, text } = this.index;
      if (this.#cache === undefined || !this.#isBuilt) return;
      const isDue =
        changed - this.#saved.changed >= MIN_CHANGED_DOCUMENTS ||
        // Deleted and replaced text must not stay in the cache.
        dropped > this.#saved.dropped;
      if (!isDue) return;
      const isDone =
        text.size < MIN_CACHED_DOCUMENTS
          ? await removeIndexCache(this.#cache)
          : await saveIndexCache(this.#cache);
      if (isDone) this.#saved = { changed, dropped };
    });
    return this.#saving;
  }
}
