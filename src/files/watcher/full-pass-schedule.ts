/**
 * Decides when the next full pass is due. It uses monotonic time, so that a change of the system's clock does
 * not stop the passes. After a jump of the clock (the machine slept, or the clock was set), a pass is due at
 * once.
 */
import type { Clock } from '../../base/clock.js';

/** Together with one tick and the pass itself, this is less than five seconds. */
const INTERVAL_MS = 4000;
/** Shorter, because no hints report changes earlier. */
const INTERVAL_WITHOUT_HINTS_MS = 2000;
/** If wall clock and monotonic clock differ by this much, the machine slept or the clock was set. */
const CLOCK_JUMP_MS = 5000;

export class FullPassSchedule {
  readonly #clock: Clock;
  #lastFullMs: number;
  #offsetMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#lastFullMs = clock.monotonic();
    this.#offsetMs = this.#wallOffset();
  }

  /**
   * Must be called at every tick. Returns true at the tick that is nearest to the interval after the last pass.
   */
  isFullDue(hasHints: boolean, tickMs: number): boolean {
    const everyMs = hasHints ? INTERVAL_MS : INTERVAL_WITHOUT_HINTS_MS;
    const offsetMs = this.#wallOffset();
    const isJump = Math.abs(offsetMs - this.#offsetMs) > CLOCK_JUMP_MS;
    this.#offsetMs = offsetMs;
    return isJump || this.#clock.monotonic() - this.#lastFullMs >= everyMs - tickMs / 2;
  }

  noteFullPass(): void {
    this.#lastFullMs = this.#clock.monotonic();
  }

  #wallOffset(): number {
    return this.#clock.now() - this.#clock.monotonic();
  }
}
