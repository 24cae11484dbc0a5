/**
 * What every part of the conversation store stands on: the files, the catalogue of what is there,
 * the locks, and those who follow changes. Knows nothing of what the parts do with it.
 */
import { join } from 'node:path';
import { type Clock, systemClock } from '../../base/clock.js';
import { type Log, silentLog } from '../../base/log.js';
import type { Durability } from '../../files/atomic-write.js';
import { type Codec, plainCodec } from '../../files/codec.js';
import { withLock } from '../../files/file-lock.js';
import type { HeldLock } from '../../files/held-lock.js';
import { openWatcher, type Watcher, type WatcherStatus } from '../../files/watcher.js';
import { Catalogue, type ConversationChange } from './catalogue.js';
import { ConversationFiles } from './conversation-files.js';
import { requireRef } from './refs.js';
import { CONVERSATION_ID, type ConversationHead } from './schema.js';

const ID_LENGTH = 22;

export interface ConversationStoreOptions extends Durability {
  /** Absolute path of `conversation-logs`; made where it is missing. */
  logsFolder: string;
  maxMessages: number;
  clock?: Clock;
  codec?: Codec;
  log?: Log;
}

export class StoreCore {
  readonly options: ConversationStoreOptions;
  readonly clock: Clock;
  readonly codec: Codec;
  readonly log: Log;
  readonly locksFolder: string;
  readonly files: ConversationFiles;
  readonly catalogue: Catalogue;
  readonly #pending = new Set<Promise<unknown>>();
  readonly #followers = new Set<(change: ConversationChange) => void>();
  #watcher: Watcher | undefined;
  /** The catalogue agrees with the folder without another look: the watcher keeps it so. */
  #isCurrent = false;
  #isClosed = false;

  constructor(options: ConversationStoreOptions) {
    const { logsFolder, clock = systemClock, codec = plainCodec, log = silentLog } = options;
    this.options = options;
    this.clock = clock;
    this.codec = codec;
    this.log = log;
    this.locksFolder = join(logsFolder, '.locks');
    this.files = new ConversationFiles({
      logsFolder,
      durability: options,
      clock,
      codec,
      onVersion: (version) => {
        // Only what is new: reading many conversations must not push out those that are edited.
        if (!this.catalogue.note(version)) return;
        this.#watcher?.touch(fileInLogs(version.document.head.conversationId), version.stamp);
      },
    });
    this.catalogue = new Catalogue(logsFolder, this.files, (change) => {
      for (const follower of this.#followers) follower(change);
    });
  }

  follow(follower: (change: ConversationChange) => void): void {
    this.#followers.add(follower);
    this.catalogue.tellAgain();
  }

  followFromNow(follower: (change: ConversationChange) => void): () => void {
    this.#followers.add(follower);
    return () => this.#followers.delete(follower);
  }

  lock<T>(name: string, work: (lock: HeldLock) => Promise<T>): Promise<T> {
    return withLock(this.locksFolder, name, work);
  }

  /** The id behind an id or a key; a key that is not known yet costs a look at the whole folder. */
  async resolve(ref: string): Promise<string | undefined> {
    if (requireRef(ref) === 'id') return ref;
    const known = this.catalogue.idOfKey(ref);
    if (known !== undefined) {
      const found = await this.files.read(known);
      if (found?.document.head.clientId === ref) return known;
    }
    await this.catalogue.refresh();
    return this.catalogue.idOfKey(ref);
  }

  /** Sees what became of conversations whose folders were moved, and tells followers. */
  async lookAgain(...conversationIds: readonly string[]): Promise<void> {
    for (const id of conversationIds) this.files.uncache(id);
    await this.catalogue.refreshSome(conversationIds);
  }

  /** All heads, newest `updatedAt` first, as the folder is now. Not to be changed. */
  async heads(): Promise<readonly ConversationHead[]> {
    if (!this.#isCurrent) await this.catalogue.refresh();
    return this.catalogue.newestFirst();
  }

  /** `onChange` is called after each change that others made. */
  async watch(onChange: () => void): Promise<void> {
    if (this.#isClosed || this.#watcher !== undefined) return;
    const watcher = this.#openWatcher(onChange);
    this.#watcher = watcher;
    try {
      await watcher.ready;
      await this.catalogue.refresh();
      this.#isCurrent = !this.#isClosed;
    } catch (error) {
      this.#watcher = undefined;
      await watcher.close();
      throw error;
    }
  }

  #openWatcher(onChange: () => void): Watcher {
    return openWatcher({
      root: this.options.logsFolder,
      match: (path) =>
        path.endsWith('/conversation.json') && CONVERSATION_ID.test(path.slice(0, ID_LENGTH)),
      onlyFiles: onlyConversationFiles,
      log: this.log,
      onChange: (changes) => {
        const ids = new Set(changes.map(({ path }) => path.slice(0, ID_LENGTH)));
        this.catalogue
          .refreshSome([...ids])
          .then(onChange)
          .catch((error: unknown) => {
            this.log.error({ err: error }, 'changed conversations could not be read');
          });
      },
    });
  }

  watching(): WatcherStatus | undefined {
    return this.#watcher?.status();
  }

  /** What `close` waits for. */
  track<T>(write: Promise<T>): Promise<T> {
    const settled: Promise<unknown> = write
      .catch(() => undefined)
      .then(() => this.#pending.delete(settled));
    this.#pending.add(settled);
    return write;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#watcher?.close();
    while (this.#pending.size > 0) await Promise.allSettled(this.#pending);
    this.catalogue.stop(); // only now: a write that meets a new key must look for it
  }
}

const fileInLogs = (conversationId: string) => `${conversationId}/conversation.json`;

/** Nothing else is listed or looked at: not the trash, not the locks, not what people put beside. */
function onlyConversationFiles(folder: string): readonly string[] | undefined {
  if (folder === '') return undefined;
  return CONVERSATION_ID.test(folder) ? ['conversation.json'] : [];
}
