/**
 * chokidar on a set of folders, each by itself and never single files; says only where to look.
 * Built on chokidar's raw events: its `change` is throttled on the leading edge, so the last change
 * of a burst can stay unreported, and raw events are not. One chokidar instance a folder, because
 * `unwatch` keeps every path it ever let go, and a recreated folder would stay on its dead handle.
 */
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { FSWatcher } from 'chokidar';
import { errnoOf } from '../../base/errors.js';

/** Folders opened in one turn of the event loop: 0.3 ms each, 1 ms on a busy machine. */
const OPEN_AT_ONCE = 8;
/** The system has no more watches, handles or memory for us: further folders would fail as well. */
const EXHAUSTED: ReadonlySet<string> = new Set(['ENOSPC', 'EMFILE', 'ENFILE', 'ENOMEM']);

export interface FolderHintsOptions {
  readonly root: string;
  /** Something happened to `name` in the folder, or to the folder itself when it is `undefined`. */
  readonly onHint: (folder: string, name: string | undefined) => void;
  /** The folder is another one now, or gone: its watch is dead. */
  readonly onDead: (folder: string) => void;
  readonly onError: (error: unknown, isExhausted: boolean) => void;
}

interface Watch {
  readonly chokidar: FSWatcher;
  /** Resolves when chokidar has opened the folder or failed to. */
  readonly opened: Promise<void>;
}

type NewChokidar = (path: string) => FSWatcher;

export class FolderHints {
  readonly #o: FolderHintsOptions;
  readonly #watches = new Map<string, Watch>();
  readonly #closing = new Set<Promise<void>>();
  #wanted: ReadonlySet<string> = new Set();
  #opening: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: FolderHintsOptions) {
    this.#o = options;
  }

  get size(): number {
    return this.#watches.size;
  }

  /** Watches these folders and no others. Returns at once; each is hinted at when its watch is open. */
  follow(folders: ReadonlySet<string>): void {
    if (this.#isClosed) return;
    this.#wanted = folders;
    for (const folder of this.#watches.keys()) if (!folders.has(folder)) this.#drop(folder);
    this.#open();
  }

  /** Lets go of the folder's handle and watches what is at its path now. */
  renew(folder: string): void {
    if (this.#isClosed || !this.#watches.has(folder)) return;
    this.#drop(folder);
    this.#open();
  }

  /** Resolves when no handle is left. */
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
      await setImmediate();
    }
  }

  #missing(): string[] {
    const missing: string[] = [];
    if (this.#isClosed) return missing;
    for (const folder of this.#wanted) {
      if (!this.#watches.has(folder)) missing.push(folder);
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
    chokidar.on('raw', (_event, name) => {
      if (isCurrent()) this.#onRaw(folder, path, name);
    });
    chokidar.on('error', (error) => this.#onError(error));
    // What happened between the last look and the opening is in nobody's events.
    void opened.then(() => isCurrent() && this.#o.onHint(folder, undefined));
    chokidar.add(path);
  }

  #onRaw(folder: string, path: string, name: unknown): void {
    const isKnown = typeof name === 'string' && name !== '';
    // That is how inotify and kqueue tell that the watched folder itself was moved or removed.
    if (isKnown && (name === basename(path) || name === path)) this.#o.onDead(folder);
    this.#o.onHint(folder, isKnown ? name : undefined);
  }

  #onError(error: unknown): void {
    if (!this.#isClosed) this.#o.onError(error, EXHAUSTED.has(errnoOf(error) ?? ''));
  }

  #drop(folder: string): void {
    const watch = this.#watches.get(folder);
    if (!watch) return;
    this.#watches.delete(folder);
    // Closed before it is open, chokidar would leave the handle it was just getting.
    const closed = watch.opened
      .then(() => watch.chokidar.close())
      .catch((error) => this.#o.onError(error, false))
      .finally(() => this.#closing.delete(closed));
    this.#closing.add(closed);
  }
}

/** Loaded on first use, because the server must answer before it watches. */
async function loadChokidar(): Promise<NewChokidar> {
  const chokidar = await import('chokidar');
  /** Without listings: chokidar would stat all entries of a folder at every event in it (345 ms of 10 000). */
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
      // Or names that look like an editor's leftovers (`notes~`) could not be watched.
      atomic: false,
      // Or chokidar would watch the parent instead of a folder that is gone by now.
      ignored: (other) => other !== only,
    });
  };
}
