/**
 * Divides long synchronous work into slices of a few milliseconds and yields to the event loop
 * between them, so that timers, sockets and other calls are served while the work goes on.
 */
import { type Clock, sleep, systemClock } from './clock.js';

/** Length of a slice. Nothing may block the event loop for more than about 20 ms. */
const SLICE_MS = 4;
/** Fewer steps than this in a slice that reads the disk mean a slow disk or a network share. */
const SLOW_DISK_STEPS = 40;

export interface TimeSliceOptions {
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Clock;
  /**
   * Each step is a synchronous call to the disk. On a slow disk one step can take longer than a
   * slice, and then each pause lasts as long as a slice, which leaves time for others.
   */
  readonly readsDisk?: boolean;
}

/**
 * Use it as `if (slice.isSpent()) await slice.yield();` after each step. The test is separate
 * because an `await` in every step would cost more than most steps.
 */
export class TimeSlice {
  readonly #signal: AbortSignal | undefined;
  readonly #clock: Clock;
  readonly #minSteps: number;
  #startedAt: number;
  #steps = 0;
  #busyMs = 0;

  constructor({ signal, clock = systemClock, readsDisk = false }: TimeSliceOptions = {}) {
    this.#signal = signal;
    this.#clock = clock;
    this.#minSteps = readsDisk ? SLOW_DISK_STEPS : 0;
    this.#startedAt = clock.monotonic();
  }

  /** Counts one step. True when the slice has lasted long enough. */
  isSpent(): boolean {
    this.#steps += 1;
    return this.#clock.monotonic() - this.#startedAt >= SLICE_MS;
  }

  /** Ends the slice, lets other work run and starts the next. Throws the signal's reason if it is aborted. */
  async yield(): Promise<void> {
    this.pause();
    if (this.#steps < this.#minSteps) await sleep(SLICE_MS);
    await yieldToEventLoop(this.#signal);
    this.resume();
  }

  /** Stops counting busy time. Call it before an `await` of something that does not block. */
  pause(): void {
    this.#busyMs += this.#clock.monotonic() - this.#startedAt;
  }

  /** Starts a new slice after `pause`. */
  resume(): void {
    this.#startedAt = this.#clock.monotonic();
    this.#steps = 0;
  }

  /** Milliseconds of work up to the last `pause` or `yield`. Pauses do not count. */
  get busyMs(): number {
    return this.#busyMs;
  }
}

/** Resolves in the next turn of the event loop. Throws the signal's reason if it is aborted by then. */
export async function yieldToEventLoop(signal?: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => setImmediate(resolve));
  signal?.throwIfAborted();
}

/** Runs a generator to its end without the pauses. */
export function runToCompletion<Value>(work: Generator<void, Value>): Value {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

/** Runs a generator to its end. Other work of the process runs in the pauses, every few milliseconds. */
export async function runInSlices<Value>(work: Generator<void, Value>): Promise<Value> {
  const slice = new TimeSlice();
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    if (slice.isSpent()) await slice.yield();
  }
}
