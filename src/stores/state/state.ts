/**
 * The store of `state.json` beside the conversations: the active conversation, the context window, and values
 * under keys that callers choose. The file is replaced as a whole under a lock between processes. People may
 * edit it.
 *
 * Reading is lenient: a field of the wrong type counts as absent, unknown fields are kept. A file
 * that is not JSON is reported as damaged and never overwritten.
 */
import { join } from 'node:path';
import { isoTime, systemClock } from '../../base/clock.js';
import { AppError, undefinedIfUnreadable } from '../../base/errors.js';
import { isRecord, type JsonObject } from '../../base/json-fields.js';
import { makeFolder } from '../../files/atomic/atomic-write.js';
import { withLock } from '../../files/locks/file-lock.js';
import { locksFolderIn } from '../../files/locks/lock-folders.js';
import { parseDocument, renderDocument } from '../../files/read/json-document.js';
import { readWhole } from '../../files/read/whole-file.js';
import { unusedQueue } from '../deferred-writes/write-queue.js';
import { upgraded } from '../format-migrations.js';
import { requireDepthToRead } from '../json-depth.js';
import type { StoreOptions } from '../store-options.js';
import { maskedBy } from '../text-masker.js';
import { DeferredState } from './deferred-state.js';
import { changedAt, type State, type StateChange, toState } from './state-content.js';

export type { State, StateChange };

/** Every reader reads the whole file, so it must be small. */
const MAX_BYTES = 1024 * 1024;

export interface StateStoreOptions extends Omit<StoreOptions, 'requireRoom' | 'log'> {
  logsFolder: string;
}

export class StateStore {
  readonly #options: StateStoreOptions;
  readonly #path: string;
  readonly #deferred: DeferredState;

  constructor(options: StateStoreOptions) {
    const { logsFolder, queue = unusedQueue() } = options;
    this.#options = options;
    this.#path = join(logsFolder, 'state.json');
    this.#deferred = new DeferredState({
      queue,
      read: () => this.#read(),
      bytesOf: (file) => this.#bytesOf(file),
      replace: (change) => this.#replace(change),
    });
  }

  /** Reads the state into memory, so that it can be read while the store is away. */
  start(): void {
    void this.contextWindow();
  }

  /**
   * Returns the state on disk with the waiting changes. While the store is away, it starts from what this
   * process last read or wrote. CORRUPT, FORMAT_TOO_NEW, FILESYSTEM_ERROR, STORAGE_UNAVAILABLE.
   */
  async get(): Promise<State> {
    return toState(await this.#deferred.file());
  }

  /** Returns the context window; `undefined` if none is set or the state cannot be read. */
  async contextWindow(): Promise<number | undefined> {
    return (await undefinedIfUnreadable(this.get()))?.contextWindow;
  }

  /**
   * Changes the state and returns it. Durable when it resolves. With `mayDefer`, the change waits in memory
   * if the store cannot be written now. Throws like `get`, and TOO_LARGE, LOCKED, STORAGE_FULL.
   */
  async set(given: StateChange, { mayDefer = false } = {}): Promise<State> {
    const { masker, clock = systemClock } = this.#options;
    const { value: change } = await maskedBy(masker, given);
    const at = isoTime(clock.now());
    const now = () => this.#replace((file) => changedAt(file, change, at));
    return toState(await (mayDefer ? this.#deferred.run({ change, at }, now) : now()));
  }

  async #replace(change: (file: JsonObject) => JsonObject): Promise<JsonObject> {
    const { logsFolder } = this.#options;
    // The folder's name is fsynced too, because otherwise a power cut could remove the folder with the state.
    await makeFolder(logsFolder, this.#options);
    return withLock(locksFolderIn(logsFolder), 'state', async (lock) => {
      const found = await readWhole(this.#path);
      const next = change(this.#parse(found?.bytes));
      // If a person saved the file since it was read, nothing is written, and all of this runs again.
      await lock.replace(this.#path, this.#bytesOf(next), this.#options, { base: found?.stamp });
      this.#deferred.note(next);
      return next;
    });
  }

  #bytesOf(file: JsonObject): Buffer {
    const bytes = renderDocument(file);
    if (bytes.byteLength > MAX_BYTES) throw tooLarge(this.#path);
    return bytes;
  }

  async #read(): Promise<JsonObject> {
    const found = await readWhole(this.#path);
    return this.#parse(found?.bytes);
  }

  #parse(bytes: Buffer | undefined): JsonObject {
    if (bytes === undefined) return {};
    const value = parseDocument(bytes, this.#path, 'CORRUPT');
    if (!isRecord(value)) throw damaged(this.#path, 'does not contain a JSON object');
    requireDepthToRead(value, this.#path);
    return upgraded('state', value, this.#path);
  }
}

function damaged(path: string, problem: string): AppError {
  return new AppError('CORRUPT', `${path} ${problem}.`, { details: { path } });
}

function tooLarge(path: string): AppError {
  return new AppError('TOO_LARGE', 'The state would be larger than 1 MB. Nothing was changed.', {
    hint: 'Store long texts as messages or notes. To remove a key that is not needed, set its value to null.',
    details: { path },
  });
}
