/**
 * Decides when the next full pass is due. It uses monotonic time, so that setting the clock neither
 * stops the passes nor makes too many. A jump of the clock (sleep, or a set clock) makes one due at once.
 */
import type { Clock } from '../../base/clock.js';

/** If wall clock and monotonic clock differ by this much, the machine slept or the clock was set. */
const CLOCK_JUMP_MS = 5000;

export class Pace {
  readonly #clock: Clock;
  #lastFullMs: number;
  #offsetMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#lastFullMs = clock.monotonic();
    this.#offsetMs = this.#wallOffset();
  }

  /** Called at every tick. True at the tick nearest to `everyMs`; the first tick after it would be late. */
  isFullDue(everyMs: number, tickMs: number): boolean {
    const offsetMs = this.#wallOffset();
    const isJump = Math.abs(offsetMs - this.#offsetMs) > CLOCK_JUMP_MS;
    this.#offsetMs = offsetMs;
    return isJump || this.#clock.monotonic() - this.#lastFullMs >= everyMs - tickMs / 2;
  }

  fullDone(): void {
    this.#lastFullMs = this.#clock.monotonic();
  }

  #wallOffset(): number {
    return this.#clock.now() - this.#clock.monotonic();
  }
}
