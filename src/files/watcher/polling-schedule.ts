/**
 * The schedule of a watcher: how long until the next tick, and whether a full pass over all files is due at it. It
 * uses monotonic time, so that a change of the system's clock does not stop the passes. After a jump of the clock
 * (the machine slept, or the clock was set), a full pass is due at once.
 */
import type { Clock } from '../../base/clock.js';

/** Together with one tick and the pass itself, this is less than five seconds. */
const INTERVAL_MS = 4000;
/** Shorter, because no hints report changes earlier. */
const INTERVAL_WITHOUT_HINTS_MS = 2000;
/** If wall clock and monotonic clock differ by this much, the machine slept or the clock was set. */
const CLOCK_JUMP_MS = 5000;
/** The time between two ticks. With the work of a tick and the delay of hints, it is less than one second. */
const HOT_RECONCILE_MS = 600;

/**
 * A missing root sends no events. For ten seconds after it disappeared, it is checked this often, because it
 * may be back at once. One check is one stat.
 */
const LOST_ROOT_TICK_MS = 100;
const LOST_ROOT_MS = 10_000;

export class PollingSchedule {
  readonly #clock: Clock;
  readonly #tickMs: number;
  #lastFullMs: number;
  #offsetMs: number;
  #rootSeenAtMs: number;

  constructor(clock: Clock, tickMs = HOT_RECONCILE_MS) {
    this.#clock = clock;
    this.#tickMs = tickMs;
    this.#lastFullMs = clock.monotonic();
    this.#offsetMs = this.#wallOffset();
    this.#rootSeenAtMs = clock.monotonic();
  }

  /**
   * Must be called at every tick. Returns true at the tick that is nearest to the interval after the last pass.
   */
  isFullDue(hasHints: boolean): boolean {
    const everyMs = hasHints ? INTERVAL_MS : INTERVAL_WITHOUT_HINTS_MS;
    const offsetMs = this.#wallOffset();
    const isJump = Math.abs(offsetMs - this.#offsetMs) > CLOCK_JUMP_MS;
    this.#offsetMs = offsetMs;
    return isJump || this.#clock.monotonic() - this.#lastFullMs >= everyMs - this.#tickMs / 2;
  }

  noteFullPass(): void {
    this.#lastFullMs = this.#clock.monotonic();
  }

  /** The time until the next tick. Must be called before every tick. */
  nextTickMs(isRootThere: boolean): number {
    const nowMs = this.#clock.monotonic();
    if (isRootThere) this.#rootSeenAtMs = nowMs;
    const isLost = nowMs - this.#rootSeenAtMs > 0 && nowMs - this.#rootSeenAtMs < LOST_ROOT_MS;
    return isLost ? Math.min(LOST_ROOT_TICK_MS, this.#tickMs) : this.#tickMs;
  }

  #wallOffset(): number {
    return this.#clock.now() - this.#clock.monotonic();
  }
}
