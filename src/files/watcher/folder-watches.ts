/**
 * Watches a set of folders (not single files) with chokidar, and reports only which names to check. It uses
 * chokidar's raw events, which are not throttled: of `change` events, the last of a burst can be lost. There
 * is one chokidar instance per folder, because `unwatch` does not close the handle of a path, and a recreated
 * folder would not be watched. watcher.ts decides what happens if a folder cannot be watched.
 */
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import type { FSWatcher } from 'chokidar';
import { yieldToEventLoop } from '../../base/async/time-slice.js';
import { errnoOf } from '../../base/errors.js';

/** 1000 watches need about 25 MB. Changes in other folders are found by scanning, within five seconds. */
export const MAX_WATCHED_FOLDERS = 1000;
/** The number of folders that are opened in one turn of the event loop. One takes 0.3 to 1 ms. */
const OPEN_AT_ONCE = 8;
/**
 * libuv reads events until there are none. If another process causes events faster than they are handled,
 * no other code of this process can run. After so many events in one turn of the event loop, the watch of
 * the folder is closed for a second. Meanwhile the passes of the watcher find its changes.
 */
const MAX_EVENTS_PER_TURN = 10_000;
const PAUSE_MS = 1000;
/** The system has no more watches, handles or memory, so watching the next folders would fail too. */
const EXHAUSTED: ReadonlySet<string> = new Set(['ENOSPC', 'EMFILE', 'ENFILE', 'ENOMEM']);

export interface FolderWatchesOptions {
  readonly root: string;
  /** `name` in the folder changed, or the folder itself if `name` is `undefined`. */
  readonly onHint: (folder: string, name: string | undefined) => void;
  /** The folder was replaced or removed; its watch is dead. */
  readonly onDead: (folder: string) => void;
  readonly onError: (error: unknown, isExhausted: boolean) => void;
}

interface Watch {
  readonly chokidar: FSWatcher;
  /** Resolves when chokidar has opened the folder or has failed to open it. */
  readonly opened: Promise<void>;
}

type NewChokidar = (path: string) => FSWatcher;

export class FolderWatches {
  readonly #o: FolderWatchesOptions;
  readonly #watches = new Map<string, Watch>();
  readonly #closing = new Set<Promise<void>>();
  /** Folders that are not watched for a second, because they had too many events. */
  readonly #paused = new Set<string>();
  #wanted: ReadonlySet<string> = new Set();
  #opening: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: FolderWatchesOptions) {
    this.#o = options;
  }

  get size(): number {
    return this.#watches.size;
  }

  /** Watches exactly these folders. Returns at once. Each folder gets a hint when its watch is open. */
  follow(folders: ReadonlySet<string>): void {
    if (this.#isClosed) return;
    this.#wanted = folders;
    for (const folder of this.#watches.keys()) if (!folders.has(folder)) this.#drop(folder);
    this.#open();
  }

  /** Closes the folder's handle and watches the folder that has its path now. */
  renew(folder: string): void {
    if (this.#isClosed || !this.#watches.has(folder)) return;
    this.#drop(folder);
    this.#open();
  }

  /** Resolves when all handles are closed. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#opening;
    for (const folder of this.#watches.keys()) this.#drop(folder);
    await Promise.all(this.#closing);
  }

  #open(): void {
    this.#opening ??= this.#openWanted()
      .catch((error) => this.#o.onError(error, true))
      .finally(() => {
        this.#opening = undefined;
      });
  }

  async #openWanted(): Promise<void> {
    const newChokidar = await loadChokidar();
    for (let missing = this.#missing(); missing.length > 0; missing = this.#missing()) {
      for (const folder of missing) this.#watch(folder, newChokidar);
      await yieldToEventLoop();
    }
  }

  #missing(): string[] {
    const missing: string[] = [];
    if (this.#isClosed) return missing;
    for (const folder of this.#wanted) {
      if (!this.#watches.has(folder) && !this.#paused.has(folder)) missing.push(folder);
      if (missing.length >= OPEN_AT_ONCE) break;
    }
    return missing;
  }

  #watch(folder: string, newChokidar: NewChokidar): void {
    const path = folder === '' ? this.#o.root : `${this.#o.root}/${folder}`;
    const chokidar = newChokidar(path);
    const opened = new Promise<void>((resolve) => chokidar.once('ready', () => resolve()));
    const watch = { chokidar, opened };
    this.#watches.set(folder, watch);
    const isCurrent = () => this.#watches.get(folder) === watch;
    let eventsOfTurn = 0;
    chokidar.on('raw', (_event, name) => {
      if (!isCurrent()) return;
      if (eventsOfTurn === 0) setImmediate(() => (eventsOfTurn = 0));
      eventsOfTurn += 1;
      if (eventsOfTurn > MAX_EVENTS_PER_TURN) this.#pause(folder);
      this.#onRaw(folder, path, name);
    });
    chokidar.on('error', (error) => this.#onError(error));
    // Changes between the last check and the opening cause no events.
    void opened.then(() => isCurrent() && this.#o.onHint(folder, undefined));
    chokidar.add(path);
  }

  #onRaw(folder: string, path: string, name: unknown): void {
    const isKnown = typeof name === 'string' && name !== '';
    // inotify and kqueue send this if the watched folder itself was moved or removed.
    if (isKnown && (name === basename(path) || name === path)) this.#o.onDead(folder);
    this.#o.onHint(folder, isKnown ? name : undefined);
  }

  #pause(folder: string): void {
    this.#drop(folder);
    this.#paused.add(folder);
    const end = () => {
      this.#paused.delete(folder);
      if (!this.#isClosed) this.#open();
    };
    setTimeout(end, PAUSE_MS).unref();
  }

  #onError(error: unknown): void {
    if (!this.#isClosed) this.#o.onError(error, EXHAUSTED.has(errnoOf(error) ?? ''));
  }

  #drop(folder: string): void {
    const watch = this.#watches.get(folder);
    if (!watch) return;
    this.#watches.delete(folder);
    // chokidar leaks the handle if it is closed during the opening.
    const closed = watch.opened
      .then(() => watch.chokidar.close())
      .catch((error) => this.#o.onError(error, false))
      .finally(() => this.#closing.delete(closed));
    this.#closing.add(closed);
  }
}

/** Loads chokidar at the first use, so that the server answers its first calls sooner. */
async function loadChokidar(): Promise<NewChokidar> {
  const chokidar = await import('chokidar');
  /**
   * Disables chokidar's listings: at every event it would stat all entries of the folder (345 ms for 10 000).
   */
  class ListlessWatcher extends chokidar.FSWatcher {
    override _readdirp(): ReturnType<FSWatcher['_readdirp']> {
      return Readable.from([]) as ReturnType<FSWatcher['_readdirp']>;
    }
  }
  return (path) => {
    const only = path.replaceAll('\\', '/');
    return new ListlessWatcher({
      depth: 0,
      ignoreInitial: true,
      // Otherwise chokidar would not watch names such as `notes~`.
      atomic: false,
      // Otherwise chokidar would watch the parent of a folder that was removed.
      ignored: (other) => other !== only,
    });
  };
}
