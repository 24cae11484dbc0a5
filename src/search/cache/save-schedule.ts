/**
 * Decides when the cache of an index is written: when the index is complete, every few minutes if enough
 * has changed, whenever text was deleted or replaced, and on close. An index of few messages has no cache.
 */
import { type CacheFile, removeCache, writeCache } from './cache-file.js';

/** Fewer messages are indexed so fast that a cache saves nothing. */
const MIN_CACHED_MESSAGES = 2_000;
/** The cache is saved again after this many changed messages. */
const MIN_CHANGED_MESSAGES = 500;
const SAVE_INTERVAL_MS = 5 * 60_000;

/** An index that can be cached. */
export interface CachedIndex {
  /** False while changes of the store wait: a cache has the stamps of the store, so it would hide them. */
  readonly isCurrent: boolean;
  /** Number of its messages. */
  readonly size: number;
  /** Messages put or deleted since the index was created, without those of a cache. */
  readonly changed: number;
  /** Number of messages that were deleted or replaced since then. */
  readonly dropped: number;
  /** The chunks have the content that the index has at the first step. */
  chunks(): Iterable<Uint8Array>;
}

export class SaveSchedule {
  readonly #file: CacheFile | undefined;
  readonly #index: () => CachedIndex;
  /** The counters of the index at the last save. */
  #saved = { changed: 0, dropped: 0 };
  #saving: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  /** Without a file, nothing is written. */
  constructor(file: CacheFile | undefined, index: () => CachedIndex) {
    this.#file = file;
    this.#index = index;
  }

  /** Saves now and every SAVE_INTERVAL_MS. */
  start(): void {
    this.#timer = setInterval(() => void this.save(), SAVE_INTERVAL_MS).unref();
    void this.save();
  }

  /** Stops the timer. The caller must still call `save`. */
  stop(): void {
    clearInterval(this.#timer);
  }

  /** Saves if a save is due, after the save that is running. The index must have been built. Never rejects. */
  save(): Promise<void> {
    this.#saving = this.#saving.then(() => this.#saveIfDue());
    return this.#saving;
  }

  async #saveIfDue(): Promise<void> {
    const index = this.#index();
    const { isCurrent, changed, dropped, size } = index;
    if (this.#file === undefined || !isCurrent) return;
    const isDue =
      changed - this.#saved.changed >= MIN_CHANGED_MESSAGES ||
      // Deleted and replaced text must not stay in the cache.
      dropped > this.#saved.dropped;
    if (!isDue) return;
    const isDone =
      size < MIN_CACHED_MESSAGES
        ? await removeCache(this.#file)
        : await writeCache(this.#file, index.chunks());
    if (isDone) this.#saved = { changed, dropped };
  }
}
