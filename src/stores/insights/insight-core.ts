/**
 * The base of the insight store: folders, locks between processes, the catalogue, and the watcher that
 * keeps the catalogue current. insights.ts has the operations.
 */
import { join } from 'node:path';
import { PendingWork } from '../../base/async/pending-work.js';
import { type Clock, systemClock } from '../../base/clock.js';
import { isAppError } from '../../base/errors.js';
import { type Log, silentLog } from '../../base/log.js';
import { makeFolder } from '../../files/atomic/atomic-write.js';
import type { Outcome } from '../../files/atomic/group-commit.js';
import { type HeldLock, withLock } from '../../files/locks/file-lock.js';
import { sweepLocks } from '../../files/locks/leftover-locks.js';
import { locksFolderIn } from '../../files/locks/lock-folders.js';
import { keepOutOfGit } from '../../files/paths/git-ignore.js';
import { readStampNow, type Stamp } from '../../files/read/stamp.js';
import { Watcher } from '../../files/watcher/watcher.js';
import { unusedQueue } from '../deferred-writes/write-queue.js';
import type { StoreOptions } from '../store-options.js';
import { DeferredInsights } from './deferred-insights.js';
import { InsightCatalogue, nameOf } from './insight-catalogue.js';
import { renderInsight } from './insight-file.js';
import { InsightTrash } from './insight-trash.js';
import type { StoredInsight } from './schema.js';

/** The name of the lock under which new insights are added. */
const NEW_INSIGHTS = 'new-insights';

export interface InsightStoreOptions extends StoreOptions {
  /** The absolute path of `memory-bank`; created if it is missing. */
  readonly folder: string;
}

/** The result of a write, and the insight that is stored now. */
export interface PutInsight {
  readonly outcome: 'added' | 'replaced' | 'unchanged';
  readonly stored: StoredInsight;
}

export class InsightCore {
  readonly options: InsightStoreOptions;
  readonly clock: Clock;
  readonly folder: string;
  readonly catalogue: InsightCatalogue;
  readonly deferred: DeferredInsights;
  readonly trash: InsightTrash;
  readonly #log: Log;
  readonly #locksFolder: string;
  readonly #pending = new PendingWork();
  #folders: Promise<void> | undefined;
  #watcher: Watcher | undefined;
  /** The watcher keeps the catalogue current, so that no pass over the folder is needed. */
  #isCurrent = false;
  #isClosed = false;
  #starting: Promise<void> | undefined;

  /** Does not access the disk. */
  constructor(options: InsightStoreOptions) {
    const { folder, queue = unusedQueue(), clock = systemClock, log = silentLog } = options;
    this.options = options;
    this.clock = clock;
    this.#log = log;
    this.folder = join(folder, 'insights');
    this.#locksFolder = locksFolderIn(folder);
    this.catalogue = new InsightCatalogue(this.folder, clock, {
      isInMemory: (id) => this.deferred.views.isInMemory(id),
      onMissing: (name) => this.#watcher?.touch(`${name}.json`, undefined),
    });
    const { catalogue } = this;
    this.trash = new InsightTrash(this);
    this.deferred = new DeferredInsights({
      queue,
      catalogue,
      clock,
      write: (stored) => this.writeNew(stored),
      revise: async (id, change) => (await this.revise(id, change)) !== undefined,
      trash: async (id, check) => void (await this.trash.moveIn(id, check)),
    });
  }

  async current(): Promise<void> {
    if (!this.#isCurrent) await this.catalogue.refresh();
  }

  start(): void {
    if (this.#isClosed || this.#watcher !== undefined) return;
    this.#watcher = new Watcher({
      root: this.folder,
      match: (path) => !path.includes('/') && nameOf(path) !== undefined,
      log: this.#log,
      clock: this.clock,
      onChange: (changes) => {
        const names = changes.flatMap(({ path }) => nameOf(path) ?? []);
        void this.#inBackground(this.catalogue.refreshSome(names));
      },
      onPass: () => void this.#inBackground(this.catalogue.refreshUnread()),
    });
    this.#starting = this.#inBackground(this.#follow(this.#watcher));
  }

  async #follow(watcher: Watcher): Promise<void> {
    await sweepLocks(this.#locksFolder);
    await watcher.ready;
    await this.catalogue.refresh();
    this.#isCurrent = !this.#isClosed;
  }

  async #inBackground(work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (error) {
      this.#log.error({ err: error }, 'the folder of the insights could not be read');
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#isCurrent = false;
    await this.#watcher?.close();
    await this.#starting;
    await this.#pending.idle();
  }

  /** Registers running work, so that `close` waits for it. */
  track<T>(work: Promise<T>): Promise<T> {
    return this.#pending.track(work);
  }

  /** Runs `work` under the insight's lock; `close` waits for it. */
  locked<T>(id: string, work: (lock: HeldLock) => Promise<T>): Promise<T> {
    const writing = this.#inFolder(() => withLock(this.#locksFolder, `insight-${id}`, work));
    return this.#pending.track(writing);
  }

  /**
   * Adds the insights that have no file yet under one lock, with few fsyncs. Durable when it resolves. No
   * process changes an insight that does not exist, so these need no locks of their own. The result has the
   * outcome of each that was added; the others have to be written under their own locks, which throws the
   * reason if they cannot be written.
   */
  async addNew(given: readonly StoredInsight[]): Promise<Map<StoredInsight, Outcome<PutInsight>>> {
    const added = new Map<StoredInsight, Outcome<PutInsight>>();
    const addUnder = async (lock: HeldLock) => {
      const left = firstOfEachId(given).filter((one) => !added.has(one) && this.#isFree(one));
      if (left.length === 0) return;
      await lock.addEntries(this.folder, left.map(fileOf), this.options, (index, stamp) => {
        const one = left[index] as StoredInsight;
        added.set(one, { value: { outcome: 'added', stored: one } });
        this.note(one, stamp);
      });
    };
    try {
      await this.options.requireRoom?.(given.reduce((sum, one) => sum + sizeOf(one), 0));
      await this.#inFolder(() => withLock(this.#locksFolder, NEW_INSIGHTS, addUnder));
    } catch (error) {
      if (!isAppError(error)) throw error;
      for (const one of added.keys()) added.set(one, { error }); // they may not be durable
    }
    return added;
  }

  #isFree({ insight: { id } }: StoredInsight): boolean {
    return readStampNow(this.catalogue.pathOf(id)) === undefined;
  }

  async write(lock: HeldLock, stored: StoredInsight, base?: Stamp): Promise<void> {
    const path = this.catalogue.pathOf(stored.insight.id);
    this.note(stored, await lock.replace(path, renderInsight(stored), this.options, { base }));
  }

  /** Writes the insight, unless a version with a later `updated_at` is on disk. Durable when it resolves. */
  async writeNew(stored: StoredInsight): Promise<void> {
    const { id, updated_at } = stored.insight;
    await this.locked(id, async (lock) => {
      const found = await this.catalogue.read(id);
      if (found !== undefined && found.stored.insight.updated_at > updated_at) return;
      await this.options.requireRoom?.();
      await this.write(lock, stored, found?.stamp);
    });
  }

  /**
   * Replaces the insight on disk by the result of `change` and returns the result; returns `undefined` if
   * there is no such insight. If `change` returns its argument, nothing is written. Durable when it resolves.
   * CORRUPT, FORMAT_TOO_NEW, LOCKED.
   */
  revise(
    id: string,
    change: (found: StoredInsight) => StoredInsight,
  ): Promise<StoredInsight | undefined> {
    return this.locked(id, async (lock) => {
      const found = await this.catalogue.read(id);
      if (found === undefined) return undefined;
      const stored = change(found.stored);
      if (stored === found.stored) return stored;
      const isLonger = stored.insight.content.length > found.stored.insight.content.length;
      if (isLonger) await this.options.requireRoom?.();
      await this.write(lock, stored, found.stamp);
      return stored;
    });
  }

  /** Must be called with each version that was read or written. */
  note(stored: StoredInsight, stamp: Stamp): void {
    if (this.catalogue.note({ stored, stamp })) {
      this.#watcher?.touch(`${stored.insight.id}.json`, stamp);
    }
  }

  /** Must be called after the insight's file was moved or removed. */
  gone(id: string): void {
    this.catalogue.forget(id);
  }

  /** Runs `work` again with a new folder if it is missing: git removed it with its last file. */
  async #inFolder<T>(work: () => Promise<T>): Promise<T> {
    await this.#requireFolders();
    try {
      return await work();
    } catch (error) {
      if (!isAppError(error) || error.details?.['errno'] !== 'ENOENT') throw error;
      this.#folders = undefined;
      await this.#requireFolders();
      return work();
    }
  }

  #requireFolders(): Promise<void> {
    this.#folders ??= this.#makeFolders().catch((error: unknown) => {
      this.#folders = undefined;
      throw error;
    });
    return this.#folders;
  }

  async #makeFolders(): Promise<void> {
    await makeFolder(this.folder, this.options);
    await makeFolder(this.#locksFolder, this.options);
    await keepOutOfGit(this.#locksFolder, this.options);
  }
}

function firstOfEachId(given: readonly StoredInsight[]): StoredInsight[] {
  const byId = new Map<string, StoredInsight>();
  for (const one of given) if (!byId.has(one.insight.id)) byId.set(one.insight.id, one);
  return [...byId.values()];
}

const fileOf = (one: StoredInsight) => ({
  name: `${one.insight.id}.json`,
  bytes: renderInsight(one),
});

const sizeOf = (one: StoredInsight) => renderInsight(one).byteLength;
