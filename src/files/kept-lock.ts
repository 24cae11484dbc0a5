/**
 * A write lock that is kept between uses, for files that get many small appends: taking and leaving
 * it costs more than the append. It is handed over as soon as another process asks, after a short
 * tenure where there is work left, and given back by itself when nothing came for a moment. So a
 * process that idles holds nothing.
 */
import { systemClock } from '../base/clock.js';
import { withLock } from './file-lock.js';
import { Deposed, type HeldLock } from './held-lock.js';

/** Kept for this long after the last use. */
const KEEP_MS = 100;
/** How often an idle owner looks whether it is wanted. */
const LOOK_MS = 4;
/** With work left, the lock is held this long before it is handed over: or two busy processes would
 * do little but hand it to each other. */
const TENURE_MS = 40;

interface Use {
  run(lock: HeldLock): Promise<void>;
  fail(error: unknown): void;
}

export class KeptLock {
  readonly #locksFolder: string;
  readonly #name: string;
  readonly #uses: Use[] = [];
  #session: Promise<void> | undefined;
  /** Wakes the session that waits for its next use. */
  #wake: (() => void) | undefined;
  #idleSince = 0;
  #isClosed = false;

  constructor(locksFolder: string, name: string) {
    this.#locksFolder = locksFolder;
    this.#name = name;
  }

  /**
   * Runs `work` under the lock, one after the other in the order of the calls. It runs again from its
   * beginning where the lock was lost before it committed. LOCKED, and whatever `work` throws.
   */
  run<T>(work: (lock: HeldLock) => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#uses.push({ run: async (lock) => resolve(await work(lock)), fail: reject });
      if (this.#session === undefined) this.#start();
      else this.#wake?.();
    });
  }

  /** Gives the lock back once what was asked for is done. */
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
    let lookedAt = since;
    // One timer for the whole session: making one for every short wait costs as much as an append.
    const timer = setInterval(() => this.#lookIdle(lock), LOOK_MS).unref();
    try {
      for (;;) {
        const [use] = this.#uses;
        if (use === undefined) {
          if (!(await this.#waitForUse())) return;
          continue;
        }
        await this.#perform(use, lock);
        const now = systemClock.monotonic();
        if (now - since < TENURE_MS || now - lookedAt < LOOK_MS) continue;
        lookedAt = now;
        if (lock.isWanted()) return;
        // Work that never waits for the disk would keep timers and sockets from their turn.
        await new Promise((resolve) => setImmediate(resolve));
      }
    } finally {
      clearInterval(timer);
    }
  }

  async #perform(use: Use, lock: HeldLock): Promise<void> {
    try {
      await use.run(lock);
    } catch (error) {
      if (error instanceof Deposed) throw error; // withLock comes back with the lock, and it runs again
      use.fail(error);
    }
    this.#uses.shift();
  }

  /** False where the lock is to be given back instead. */
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

  #lookIdle(lock: HeldLock): void {
    if (this.#wake === undefined) return;
    if (systemClock.monotonic() - this.#idleSince > KEEP_MS || lock.isWanted()) this.#wake();
  }
}
