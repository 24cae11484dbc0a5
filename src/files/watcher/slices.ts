/**
 * Cuts long synchronous work into slices, so that a pass over ten thousand files never holds the
 * event loop. Synchronous stats in slices, because ten thousand of them cost 44 ms of CPU and the
 * asynchronous ones 140 to 200 ms (Node 20.20, ext4, any concurrency from 4 to 64).
 */
import { setImmediate, setTimeout } from 'node:timers/promises';
import type { Clock } from '../../base/clock.js';

/** A slice ends at the first look after this; 20 ms is the most that anyone may block. */
const SLICE_MS = 4;
/** Fewer looks than this in a slice mean a slow disk or a network share. */
const SLOW_LOOKS = 40;

export class Slices {
  readonly #clock: Clock;
  #startedAt: number;
  #looks = 0;
  #busyMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startedAt = clock.monotonic();
  }

  /** Counts one look at the disk; true when it is time to `breathe()`. */
  isOver(): boolean {
    this.#looks += 1;
    return this.#clock.monotonic() - this.#startedAt >= SLICE_MS;
  }

  /** Ends the slice and lets everything else on the event loop have its turn. */
  async breathe(): Promise<void> {
    this.pause();
    // On a slow disk single looks overrun the slice: half of the time must stay for others.
    await (this.#looks < SLOW_LOOKS ? setTimeout(SLICE_MS) : setImmediate());
    this.resume();
  }

  /** Stops the count of busy time, before waiting for something that does not block. */
  pause(): void {
    this.#busyMs += this.#clock.monotonic() - this.#startedAt;
  }

  resume(): void {
    this.#startedAt = this.#clock.monotonic();
    this.#looks = 0;
  }

  /** Milliseconds spent working so far, waiting left out; call it after `pause()`. */
  get busyMs(): number {
    return this.#busyMs;
  }
}
