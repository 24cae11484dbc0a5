/**
 * When the next full pass is due. Measured on monotonic time, so that a clock that is set neither
 * stops nor storms the passes; but a jump (sleep, or the clock set) makes one due at once.
 */
import type { Clock } from '../../base/clock.js';

/** The wall clock moving away from the monotonic one by this much means sleep, or that it was set. */
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

  /** Asked at every tick. True at the tick nearest to `everyMs`: the first after it would be late. */
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
