/**
 * Cuts long work into slices, so that whoever else waits for the event loop has a turn in between.
 */
import { systemClock } from './clock.js';

const SLICE_MS = 5;

export class Breath {
  #since = systemClock.monotonic();
  readonly #signal: AbortSignal | undefined;

  constructor(signal?: AbortSignal) {
    this.#signal = signal;
  }

  /** Whether the slice has lasted long enough. */
  isDue(): boolean {
    return systemClock.monotonic() - this.#since >= SLICE_MS;
  }

  /** Throws the signal's reason once that is aborted. */
  async take(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.#signal?.throwIfAborted();
    this.#since = systemClock.monotonic();
  }
}
