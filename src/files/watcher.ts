/**
 * Keeps a view of the files below a folder current while people and other programs change them.
 * chokidar's events are hints of where to look; what is true is decided by stat, once a tick for
 * what changed recently and every few seconds for everything. So a lost event, a limit of the
 * system or a sleeping laptop delays a report but never loses it. Contents are never read here.
 */
import { type Clock, systemClock } from '../base/clock.js';
import type { Log } from '../base/log.js';
import type { Stamp } from './stamp.js';
import { FolderHints } from './watcher/folder-hints.js';
import { type FileChange, FoundChanges } from './watcher/found-changes.js';
import { HintQueue } from './watcher/hint-queue.js';
import { Pace } from './watcher/pace.js';
import { rankByTime } from './watcher/recent.js';
import { type PassCost, Reconciler } from './watcher/reconciler.js';
import { View } from './watcher/view.js';

/** 1000 watches cost about 25 MB; beyond that the promise of five seconds is kept by scanning. */
const WATCH_LIMIT = 1000;
/** With a tick and the pass itself on top still below five seconds. */
const RECONCILE_MS = 4000;
/** With a tick's work and the wait for quiet on top still below one second. */
const HOT_RECONCILE_MS = 600;

export interface WatcherOptions {
  /** Absolute. It may be missing, come later, go and come again. */
  readonly root: string;
  /** Whether the file of that path (relative, with `/`) belongs to the view; asked often, so cheap and pure. */
  readonly match: (path: string) => boolean;
  /**
   * The only file names that can match in a folder, where they are known beforehand. Such a folder
   * is never listed and nothing below it is seen, which halves the cost of a pass.
   */
  readonly onlyFiles?: (folder: string) => readonly string[] | undefined;
  /** How many folders besides the root are watched, and how many files are looked at every tick. */
  readonly watchLimit?: number;
  readonly reconcileMs?: number;
  readonly hotReconcileMs?: number;
  /** Never watch, only scan: for file systems that send no events, such as network shares. */
  readonly usePolling?: boolean;
  readonly log: Log;
  readonly clock?: Clock;
  /**
   * Called with at least one change, each path once, in no promised order. Every change is reported
   * at least once; the same state may be reported twice. Must not throw; a promise is not awaited.
   */
  readonly onChange: (changes: readonly FileChange[]) => void;
}

export interface WatcherStatus {
  readonly mode: 'watching' | 'scanning';
  readonly watchedFolders: number;
  /** Errors of the system's watching since the start. */
  readonly errors: number;
  /** The last full pass: when it ended (epoch ms), what it cost, what it looked at. */
  readonly lastReconcile:
    | (PassCost & { readonly at: number; readonly files: number; readonly folders: number })
    | undefined;
}

export interface Watcher {
  /** Resolves when the view is complete for the first time; rejects only when `match` threw. Watching begins after. */
  readonly ready: Promise<void>;
  /** Stamps of all files in the view by path, without reading any: complete once `ready`. */
  snapshot(): Map<string, Stamp>;
  /** When it resolves, the view holds every change made before the call and all were handed to `onChange`. */
  reconcile(): Promise<void>;
  /** Takes note of our own write (or, with `undefined`, removal), so that it is not reported. Call it right after. */
  touch(path: string, stamp: Stamp | undefined): void;
  status(): WatcherStatus;
  /** Resolves when no timer and no handle is left; nothing is reported after the call. */
  close(): Promise<void>;
}

/** Starts at once; an open watcher keeps the process alive until `close()`. */
export function openWatcher(options: WatcherOptions): Watcher {
  return new FileWatcher(options);
}

class FileWatcher implements Watcher {
  readonly ready: Promise<void>;
  readonly #o: WatcherOptions;
  readonly #clock: Clock;
  readonly #view: View;
  readonly #reconciler: Reconciler;
  readonly #queue: HintQueue;
  readonly #pace: Pace;
  readonly #tickMs: number;
  #hints: FolderHints | undefined;
  /** Jobs one after the other: each leaves view and disk in agreement on what it looked at. */
  #lastJob: Promise<unknown> = Promise.resolve();
  #nextReconcile: Promise<void> | undefined;
  readonly #found = new FoundChanges();
  #timer: NodeJS.Timeout | undefined;
  #lastFull: WatcherStatus['lastReconcile'];
  #errors = 0;
  #isReady = false;
  #isClosed = false;
  #stopping: Promise<void> | undefined;

  constructor(options: WatcherOptions) {
    this.#o = options;
    this.#clock = options.clock ?? systemClock;
    this.#pace = new Pace(this.#clock);
    this.#tickMs = options.hotReconcileMs ?? HOT_RECONCILE_MS;
    this.#queue = new HintQueue(this.#clock, () => this.#attempt(() => this.#checkHints()));
    this.#view = new View({
      clock: this.#clock,
      match: options.match,
      onlyFiles: options.onlyFiles ?? (() => undefined),
      recentLimit: options.watchLimit ?? WATCH_LIMIT,
      report: (path, stamp) => this.#found.add(path, stamp),
      checkAgain: (folder, name) => this.#queue.add(folder, name),
      replaced: (folder) => this.#hints?.renew(folder),
    });
    this.#reconciler = new Reconciler(options.root, this.#view, this.#clock);
    this.ready = this.#start();
  }

  snapshot(): Map<string, Stamp> {
    return this.#view.tree.snapshot();
  }

  reconcile(): Promise<void> {
    // Callers share a pass that has not begun; one that runs may have passed by what they changed.
    this.#nextReconcile ??= this.#run(() => {
      this.#nextReconcile = undefined;
      return this.#fullPass(true);
    });
    return this.#nextReconcile;
  }

  touch(path: string, stamp: Stamp | undefined): void {
    this.#view.adopt(path, stamp);
    this.#found.drop(path, stamp);
  }

  status(): WatcherStatus {
    return {
      mode: this.#hints ? 'watching' : 'scanning',
      watchedFolders: this.#hints?.size ?? 0,
      errors: this.#errors,
      lastReconcile: this.#lastFull,
    };
  }

  close(): Promise<void> {
    this.#isClosed = true;
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    this.#queue.close();
    clearTimeout(this.#timer);
    this.#reconciler.stop();
    await Promise.all([this.#lastJob, this.#hints?.close()]);
  }

  async #start(): Promise<void> {
    await this.#run(() => this.#fullPass(true));
    if (this.#isClosed) return;
    rankByTime(this.#view.tree, this.#view.recentFolders, this.#view.recentFiles);
    this.#isReady = true;
    if (!this.#o.usePolling) this.#watch();
    this.#schedule();
  }

  #watch(): void {
    this.#hints = new FolderHints({
      root: this.#o.root,
      onHint: (folder, name) => this.#queue.add(folder, name),
      onDead: (folder) => {
        this.#hints?.renew(folder);
        this.#queue.add(folder);
      },
      onError: (error, isExhausted) => this.#onWatchError(error, isExhausted),
    });
    this.#hints.follow(this.#view.foldersToWatch());
  }

  #onWatchError(error: unknown, isExhausted: boolean): void {
    this.#errors += 1;
    if (!this.#hints) return;
    if (!isExhausted) {
      this.#o.log.debug({ err: error }, 'Watching a folder failed; it is scanned instead.');
      return;
    }
    this.#o.log.warn(
      { err: error, root: this.#o.root, watchedFolders: this.#hints.size },
      'The system has no more file watches; changes are found by scanning from now on.',
    );
    const hints = this.#hints;
    this.#hints = undefined;
    // Part of what close() waits for, as its handles would keep the process alive.
    this.#lastJob = Promise.all([this.#lastJob, hints.close()]);
  }

  #schedule(): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(
      () => this.#attempt(() => this.#tick().finally(() => this.#schedule())),
      this.#tickMs,
    );
  }

  async #tick(): Promise<void> {
    const everyMs = (this.#o.reconcileMs ?? RECONCILE_MS) / (this.#hints ? 1 : 2);
    if (this.#pace.isFullDue(everyMs, this.#tickMs)) await this.#fullPass(false);
    else await this.#reconciler.hot();
  }

  async #fullPass(reportFresh: boolean): Promise<void> {
    const cost = await this.#reconciler.full(reportFresh);
    this.#pace.fullDone();
    this.#lastFull = { ...cost, at: this.#clock.now(), ...this.#view.tree.count() };
  }

  async #checkHints(): Promise<void> {
    for (const { folder, name, isOverdue } of this.#queue.takeDue()) {
      if (this.#isClosed) return;
      await this.#reconciler.check(folder, name, isOverdue);
    }
  }

  /** Runs a job when those before it are done, then hands out what it found. */
  #run(job: () => Promise<void>): Promise<void> {
    const done = this.#lastJob.then(async () => {
      if (this.#isClosed) return;
      await job();
      this.#deliver();
    });
    this.#lastJob = done.catch(() => undefined);
    return done;
  }

  /** For jobs that nobody waits for. */
  #attempt(job: () => Promise<void>): void {
    this.#run(job).catch((error) =>
      this.#o.log.error({ err: error }, 'Looking for changed files failed; it is tried again.'),
    );
  }

  #deliver(): void {
    const changes = this.#found.take();
    if (changes.length > 0 && this.#isReady && !this.#isClosed) this.#o.onChange(changes);
    this.#hints?.follow(this.#view.foldersToWatch());
  }
}
