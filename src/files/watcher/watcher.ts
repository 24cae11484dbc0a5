/**
 * Watches the files below a folder while people and other programs change them. The events of chokidar
 * (folder-watches.ts) are only hints which names to check. stat calls find the changes: at every tick for the
 * paths that changed recently, and every few seconds for all paths (polling-schedule.ts). So a lost event, a limit of
 * the system or a sleeping laptop delays a report, but the report is not lost. File contents are not read here.
 */
import { type Clock, systemClock } from '../../base/clock.js';
import type { Log } from '../../base/log.js';
import { isSameStamp, type Stamp } from '../read/stamp.js';
import { DebounceQueue } from './debounce-queue.js';
import { FolderWatches, MAX_WATCHED_FOLDERS } from './folder-watches.js';
import { KnownFiles } from './known-files.js';
import { PollingSchedule } from './polling-schedule.js';
import { rankByTime } from './recent-paths.js';
import { type PassCost, Reconciler } from './reconciler.js';

export interface FileChange {
  readonly path: string;
  /** `undefined` if the file was removed. */
  readonly stamp: Stamp | undefined;
}

export interface WatcherOptions {
  /** The absolute path. The folder may be missing, and may be created and removed at any time. */
  readonly root: string;
  /** Whether to watch this path (relative, with `/`). Called often: must be fast and pure. */
  readonly match: (path: string) => boolean;
  /**
   * The only file names that can match in a folder, if they are known. Such a folder is never listed,
   * and its sub-folders are ignored. This halves the cost of a pass.
   */
  readonly onlyFiles?: (folder: string) => readonly string[] | undefined;
  /** The maximum number of watched folders besides the root, and of files checked at every tick. */
  readonly watchLimit?: number;
  readonly hotReconcileMs?: number;
  /** Scans only, without watches: for file systems that send no events, such as network shares. */
  readonly usePolling?: boolean;
  readonly log: Log;
  readonly clock?: Clock;
  /**
   * Called with at least one change, each path once, in no defined order. Every change is reported at
   * least once; the same state may be reported twice. Must not throw. A returned promise is not awaited.
   */
  readonly onChange: (changes: readonly FileChange[]) => void;
  /** Called after every full pass, at the latest five seconds after the one before. Must not throw. */
  readonly onPass?: () => void;
}

export interface WatcherStatus {
  readonly mode: 'watching' | 'scanning';
  readonly watchedFolders: number;
  /** The number of errors of the system's watches since the start. */
  readonly errors: number;
  /** The last full pass: its end (epoch ms), its cost, and the number of entries. */
  readonly lastReconcile:
    | (PassCost & { readonly at: number; readonly files: number; readonly folders: number })
    | undefined;
}

/** Keeps the process alive until `close()`. */
export class Watcher {
  /** When all files are known; watching begins then. Rejects only if `match` threw. */
  readonly ready: Promise<void>;
  readonly #o: WatcherOptions;
  readonly #clock: Clock;
  readonly #knownFiles: KnownFiles;
  readonly #reconciler: Reconciler;
  readonly #queue: DebounceQueue;
  readonly #passes: PollingSchedule;
  #watches: FolderWatches | undefined;
  /** Jobs run one after the other. */
  #lastJob: Promise<unknown> = Promise.resolve();
  #nextReconcile: Promise<void> | undefined;
  /** The changes to report, by path. Only the last state of each, so that a changed file is read only once. */
  readonly #found = new Map<string, FileChange>();
  #timer: NodeJS.Timeout | undefined;
  #lastFull: WatcherStatus['lastReconcile'];
  #errors = 0;
  #isReady = false;
  #isClosed = false;
  #stopping: Promise<void> | undefined;

  constructor(options: WatcherOptions) {
    this.#o = options;
    this.#clock = options.clock ?? systemClock;
    this.#passes = new PollingSchedule(this.#clock, options.hotReconcileMs);
    this.#queue = new DebounceQueue(this.#clock, () => this.#attempt(() => this.#checkHints()));
    this.#knownFiles = new KnownFiles({
      clock: this.#clock,
      match: options.match,
      onlyFiles: options.onlyFiles ?? (() => undefined),
      recentLimit: options.watchLimit ?? MAX_WATCHED_FOLDERS,
      report: (path, stamp) => void this.#found.set(path, { path, stamp }),
      checkAgain: (folder, name) => this.#queue.add(folder, name),
      replaced: (folder) => this.#watches?.renew(folder),
    });
    this.#reconciler = new Reconciler(options.root, this.#knownFiles, this.#clock);
    this.ready = this.#start();
  }

  /** Returns the stamps of all known files, by path, without I/O. Complete after `ready`. */
  snapshot(): Map<string, Stamp> {
    return this.#knownFiles.tree.snapshot();
  }

  /** When it resolves, `onChange` was called for every change that was made before this call. */
  reconcile(): Promise<void> {
    // Callers share a pass that has not started. A running pass may have missed their change.
    this.#nextReconcile ??= this.#run(() => {
      this.#nextReconcile = undefined;
      return this.#fullPass(true);
    });
    return this.#nextReconcile;
  }

  /**
   * Call it right after a write of this process, which is then not reported, and with `undefined` for a file that
   * this process found missing or removed. If it is there again, it is reported, also with the same stamp.
   */
  touch(path: string, stamp: Stamp | undefined): void {
    this.#knownFiles.adopt(path, stamp);
    const found = this.#found.get(path);
    if (found && isSameStamp(found.stamp, stamp)) this.#found.delete(path);
  }

  status(): WatcherStatus {
    return {
      mode: this.#watches ? 'watching' : 'scanning',
      watchedFolders: this.#watches?.size ?? 0,
      errors: this.#errors,
      lastReconcile: this.#lastFull,
    };
  }

  /** Resolves when all timers and handles are closed. Nothing is reported after the call. */
  close(): Promise<void> {
    this.#isClosed = true;
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    this.#queue.close();
    clearTimeout(this.#timer);
    this.#reconciler.stop();
    await Promise.all([this.#lastJob, this.#watches?.close()]);
  }

  async #start(): Promise<void> {
    await this.#run(() => this.#fullPass(true));
    if (this.#isClosed) return;
    rankByTime(this.#knownFiles.tree, this.#knownFiles.recentFolders, this.#knownFiles.recentFiles);
    this.#isReady = true;
    if (!this.#o.usePolling) this.#watch();
    this.#schedule();
  }

  #watch(): void {
    this.#watches = new FolderWatches({
      root: this.#o.root,
      onHint: (folder, name) => this.#queue.add(folder, name),
      onDead: (folder) => {
        this.#watches?.renew(folder);
        this.#queue.add(folder);
      },
      onError: (error, isExhausted) => this.#onWatchError(error, isExhausted),
    });
    this.#watches.follow(this.#knownFiles.foldersToWatch());
  }

  #onWatchError(error: unknown, isExhausted: boolean): void {
    this.#errors += 1;
    if (!this.#watches) return;
    if (!isExhausted) {
      this.#o.log.debug({ err: error }, 'a folder cannot be watched; Daybook scans it instead');
      return;
    }
    this.#o.log.warn(
      { err: error, root: this.#o.root, watchedFolders: this.#watches.size },
      'the system has no more file watches; from now on, Daybook finds changes by scanning',
    );
    const watches = this.#watches;
    this.#watches = undefined;
    // close() also waits for this, because open handles keep the process alive.
    this.#lastJob = Promise.all([this.#lastJob, watches.close()]);
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#isClosed) return;
    this.#timer = setTimeout(
      () => this.#attempt(() => this.#tick().finally(() => this.#schedule())),
      this.#passes.nextTickMs(this.#isRootThere),
    );
  }

  get #isRootThere(): boolean {
    return this.#knownFiles.tree.root.identity !== undefined;
  }

  async #tick(): Promise<void> {
    if (this.#passes.isFullDue(this.#watches !== undefined)) await this.#fullPass(false);
    else await this.#reconciler.hot();
  }

  async #fullPass(reportFresh: boolean): Promise<void> {
    const cost = await this.#reconciler.full(reportFresh);
    this.#passes.noteFullPass();
    this.#lastFull = { ...cost, at: this.#clock.now(), ...this.#knownFiles.tree.count() };
    if (this.#isReady && !this.#isClosed) this.#o.onPass?.();
  }

  async #checkHints(): Promise<void> {
    for (const { folder, name, isOverdue } of this.#queue.takeDue()) {
      if (this.#isClosed) return;
      await this.#reconciler.check(folder, name, isOverdue);
    }
    // While the root is missing, the next tick is sooner.
    if (!this.#isRootThere) this.#schedule();
  }

  /** Runs a job after the earlier ones, then reports the changes that it found. */
  #run(job: () => Promise<void>): Promise<void> {
    const done = this.#lastJob.then(async () => {
      if (this.#isClosed) return;
      await job();
      this.#deliver();
    });
    this.#lastJob = done.catch(() => undefined);
    return done;
  }

  /** For jobs that no caller waits for. */
  #attempt(job: () => Promise<void>): void {
    this.#run(job).catch((error) =>
      this.#o.log.error({ err: error }, 'the scan for changed files failed; Daybook tries again'),
    );
  }

  #deliver(): void {
    const changes = [...this.#found.values()];
    this.#found.clear();
    if (changes.length > 0 && this.#isReady && !this.#isClosed) this.#o.onChange(changes);
    this.#watches?.follow(this.#knownFiles.foldersToWatch());
  }
}
