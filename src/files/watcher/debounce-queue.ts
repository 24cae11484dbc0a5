/**
 * Debounces checks: they wait until a burst of events has ended, because only the last state is reported. The delay is
 * limited, so that a file that is written without a pause is reported too.
 */
import type { Clock } from '../../base/clock.js';

/** A name is checked this long after the last event about it. */
const QUIET_MS = 50;
/** A name is checked after this time even if its events do not stop. */
const MAX_WAIT_MS = 250;

export interface Hint {
  readonly folder: string;
  /** `undefined`: any name in the folder. */
  readonly name: string | undefined;
  /** The events have not stopped: report the state, although it may change again at once. */
  readonly isOverdue: boolean;
}

interface Waiting {
  readonly folder: string;
  readonly name: string | undefined;
  readonly firstAtMs: number;
  readonly lastAtMs: number;
}

export class DebounceQueue {
  readonly #clock: Clock;
  readonly #onDue: () => void;
  readonly #waiting = new Map<string, Waiting>();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(clock: Clock, onDue: () => void) {
    this.#clock = clock;
    this.#onDue = onDue;
  }

  add(folder: string, name?: string): void {
    const nowMs = this.#clock.monotonic();
    const key = `${folder}\0${name ?? ''}`;
    const { firstAtMs = nowMs } = this.#waiting.get(key) ?? {};
    this.#waiting.set(key, { folder, name, firstAtMs, lastAtMs: nowMs });
    this.#arm();
  }

  /** Yields the hints that are due. One that is added during its own check stays. */
  *takeDue(): Generator<Hint> {
    const nowMs = this.#clock.monotonic();
    for (const [key, waiting] of this.#waiting) {
      const isOverdue = nowMs - waiting.firstAtMs >= MAX_WAIT_MS;
      if (!isOverdue && nowMs - waiting.lastAtMs < QUIET_MS) continue;
      yield { folder: waiting.folder, name: waiting.name, isOverdue };
      const now = this.#waiting.get(key);
      if (now === waiting) this.#waiting.delete(key);
      // The hint was added again during the check.
      else if (now && isOverdue) this.#waiting.set(key, { ...now, firstAtMs: now.lastAtMs });
    }
    this.#arm();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#waiting.clear();
  }

  #arm(): void {
    if (this.#timer || this.#isClosed || this.#waiting.size === 0) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#onDue();
    }, QUIET_MS);
  }
}
