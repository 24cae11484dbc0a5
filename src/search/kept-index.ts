/**
 * The message index of a running process: built once from the cache and the files, then kept current
 * by following the store, and saved from time to time so that the next start is a warm one. Building
 * and saving go on beside everything else; neither ever makes an answer wrong.
 */
import { Breath } from '../base/breath.js';
import type { ConversationChange } from '../stores/conversations/catalogue.js';
import {
  type CachePlace,
  loadIndexCache,
  removeIndexCache,
  saveIndexCache,
} from './index-cache.js';
import { MessageIndex } from './message-index.js';
import type { MessageSearchOptions } from './message-search.js';

/** Fewer documents are indexed faster than a cache is worth. */
const WORTH_CACHING = 2_000;
const WORTH_SAVING_AGAIN = 500;
const SAVE_EVERY_MS = 5 * 60_000;

export class KeptIndex {
  readonly index = new MessageIndex();
  readonly #options: MessageSearchOptions;
  readonly #cache: CachePlace | undefined;
  #building: Promise<void> | undefined;
  #hasBegun = false;
  #isBuilt = false;
  #isClosed = false;
  /** Counts of the index at the last save. */
  #saved = { changed: 0, dropped: 0 };
  #saving: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: MessageSearchOptions) {
    const { cachePath: path, store, log } = options;
    this.#options = options;
    this.#cache = path === undefined ? undefined : { path, index: this.index, store, log };
  }

  get isBuilt(): boolean {
    return this.#isBuilt;
  }

  /** Resolves when the index is complete. After a failure (FILESYSTEM_ERROR) the next call tries again. */
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
    this.#timer = setInterval(() => void this.#save(), SAVE_EVERY_MS).unref();
    void this.#save();
    void this.#prepare();
  }

  /** Or the first search, or the first word that is new, would wait a tenth of a second for it. */
  async #prepare(): Promise<void> {
    const breath = new Breath();
    while (!this.#isClosed && this.index.text.prepare()) if (breath.isDue()) await breath.take();
  }

  /** What changes while the cache is read waits for the end: the cache needs an empty index. */
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

  /** One save after the other; nothing of an index that is not complete. */
  #save(): Promise<void> {
    this.#saving = this.#saving.then(async () => {
      const { changedDocuments: changed, droppedDocuments: dropped, text } = this.index;
      if (this.#cache === undefined || !this.#isBuilt) return;
      const isWorthIt =
        changed - this.#saved.changed >= WORTH_SAVING_AGAIN ||
        // What was deleted or edited away must not live on in the cache.
        dropped > this.#saved.dropped;
      if (!isWorthIt) return;
      const isDone =
        text.size < WORTH_CACHING
          ? await removeIndexCache(this.#cache)
          : await saveIndexCache(this.#cache);
      if (isDone) this.#saved = { changed, dropped };
    });
    return this.#saving;
  }
}
