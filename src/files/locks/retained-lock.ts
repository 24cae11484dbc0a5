/**
 * A write lock that is kept between uses, for files that get many small appends: acquiring and releasing
 * the lock costs more than the append. It is released when another process waits (a busy owner first keeps
 * it for 40 ms), and when it was not used for 100 ms. So an idle process holds no lock.
 */

import { yieldToEventLoop } from '../../base/async/time-slice.js';
import { systemClock } from '../../base/clock.js';
import { type HeldLock, LockLostError, withLock } from './file-lock.js';

/** The lock is released this long after its last use. */
const KEEP_MS = 100;
/** How often an idle owner checks whether another process waits. */
const CHECK_MS = 4;
/** A busy owner keeps the lock at least this long, because handing it over costs more than an append. */
const TENURE_MS = 40;

interface Use {
  run(lock: HeldLock): Promise<void>;
  fail(error: unknown): void;
}

export class RetainedLock {
  readonly #locksFolder: string;
  readonly #name: string;
  readonly #onIdle: () => void;
  readonly #uses: Use[] = [];
  #session: Promise<void> | undefined;
  /** Resumes the session if it waits for its next use. */
  #wake: (() => void) | undefined;
  #idleSince = 0;
  #isClosed = false;

  /** `onIdle` is called when the lock was released and no work waits. */
  constructor(locksFolder: string, name: string, onIdle: () => void = () => undefined) {
    this.#locksFolder = locksFolder;
    this.#name = name;
    this.#onIdle = onIdle;
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

  /** Resolves when all accepted work has ended and the lock is released. */
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
        else this.#onIdle();
      });
  }

  async #hold(lock: HeldLock): Promise<void> {
    const since = systemClock.monotonic();
    let checkedAt = since;
    // One timer for the whole session, because a timer for every short wait costs as much as an append.
    const timer = setInterval(() => this.#releaseIfIdle(lock), CHECK_MS).unref();
    try {
      for (;;) {
        const [use] = this.#uses;
        if (use === undefined) {
          if (!(await this.#waitForUse())) return;
          continue;
        }
        // After a failure the lock is released, because that removes what the failed step left in its folder.
        if (!(await this.#perform(use, lock))) return;
        const now = systemClock.monotonic();
        if (now - since < TENURE_MS || now - checkedAt < CHECK_MS) continue;
        checkedAt = now;
        if (lock.isWanted()) return;
        // Without it, timers and sockets would get no turn while the work never waits for the disk.
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
      if (error instanceof LockLostError) throw error; // `withLock` runs the work again
      isDone = false;
      use.fail(error);
    }
    this.#uses.shift();
    return isDone;
  }

  /** Resolves with false if the lock must be released. */
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
