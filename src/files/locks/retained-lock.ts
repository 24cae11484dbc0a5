/**
 * A write lock that is retained between uses, for files that get many small appends: to acquire and to
 * release the lock costs more than the append. It is released when another process waits (after a short
 * tenure if there is more work) and when nothing used it for a moment. So an idle process holds no lock.
 */
import { systemClock } from '../../base/clock.js';
import { yieldToEventLoop } from '../../base/time-slice.js';
import { withLock } from './file-lock.js';
import { type HeldLock, LockLostError } from './lock-handle.js';

/** The lock is released this long after its last use. */
const KEEP_MS = 100;
/** How often an idle owner checks whether another process waits. */
const CHECK_MS = 4;
/**
 * A busy owner holds the lock at least this long. Otherwise two busy processes would spend their time
 * passing it to each other.
 */
const TENURE_MS = 40;

interface Use {
  run(lock: HeldLock): Promise<void>;
  fail(error: unknown): void;
}

export class RetainedLock {
  readonly #locksFolder: string;
  readonly #name: string;
  readonly #uses: Use[] = [];
  #session: Promise<void> | undefined;
  /** Wakes the session if it waits for its next use. */
  #wake: (() => void) | undefined;
  #idleSince = 0;
  #isClosed = false;

  constructor(locksFolder: string, name: string) {
    this.#locksFolder = locksFolder;
    this.#name = name;
  }

  /**
   * Runs `work` under the lock, in the order of the calls, one at a time. It runs again from its start
   * if the lock was lost before it committed. LOCKED, and whatever `work` throws.
   */
  run<T>(work: (lock: HeldLock) => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#uses.push({ run: async (lock) => resolve(await work(lock)), fail: reject });
      if (this.#session === undefined) this.#start();
      else this.#wake?.();
    });
  }

  /** Waits for the work that was accepted, then releases the lock. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#wake?.();
    while (this.#session !== undefined) await this.#session;
  }

  #start(): void {
    this.#session = withLock(this.#locksFolder, this.#name, (lock) => this.#hold(lock))
      .catch((error: unknown) => {
        for (const { fail } of this.#uses.splice(0)) fail(error);
      })
      .then(() => {
        this.#session = undefined;
        if (this.#uses.length > 0) this.#start();
      });
  }

  async #hold(lock: HeldLock): Promise<void> {
    const since = systemClock.monotonic();
    let checkedAt = since;
    // One timer for the whole session: a timer for every short wait costs as much as an append.
    const timer = setInterval(() => this.#releaseIfIdle(lock), CHECK_MS).unref();
    try {
      for (;;) {
        const [use] = this.#uses;
        if (use === undefined) {
          if (!(await this.#waitForUse())) return;
          continue;
        }
        // The release removes what a failed step left in the lock's folder: it may be a second name of a file.
        if (!(await this.#perform(use, lock))) return;
        const now = systemClock.monotonic();
        if (now - since < TENURE_MS || now - checkedAt < CHECK_MS) continue;
        checkedAt = now;
        if (lock.isWanted()) return;
        // Work that never waits for the disk would starve timers and sockets.
        await yieldToEventLoop();
      }
    } finally {
      clearInterval(timer);
    }
  }

  /** False if the work failed. */
  async #perform(use: Use, lock: HeldLock): Promise<boolean> {
    let isDone = true;
    try {
      await use.run(lock);
    } catch (error) {
      if (error instanceof LockLostError) throw error; // withLock acquires the lock again and repeats the work
      isDone = false;
      use.fail(error);
    }
    this.#uses.shift();
    return isDone;
  }

  /** False if the lock is to be released. */
  #waitForUse(): Promise<boolean> {
    if (this.#isClosed) return Promise.resolve(false);
    this.#idleSince = systemClock.monotonic();
    return new Promise((resolve) => {
      this.#wake = () => {
        this.#wake = undefined;
        resolve(this.#uses.length > 0);
      };
    });
  }

  #releaseIfIdle(lock: HeldLock): void {
    if (this.#wake === undefined) return;
    if (systemClock.monotonic() - this.#idleSince > KEEP_MS || lock.isWanted()) this.#wake();
  }
}
