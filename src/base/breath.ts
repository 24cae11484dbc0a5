/**
 * Cuts long work into slices, so that whoever else waits for the event loop has a turn in between.
 */
import { systemClock } from './clock.js';

const SLICE_MS = 5;

export class Breath {
  #since = systemClock.monotonic();

  /** Whether the slice has lasted long enough. */
  isDue(): boolean {
    return systemClock.monotonic() - this.#since >= SLICE_MS;
  }

  async take(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.#since = systemClock.monotonic();
  }
}
