/**
 * Divides long synchronous work into slices of a few milliseconds and yields to the event loop
 * between them, so that timers, sockets and other calls are processed meanwhile.
 */
import { type Clock, sleep, systemClock } from '../clock.js';

/** The length of a slice. No code may block the event loop for more than about 20 ms. */
const SLICE_MS = 4;
/** If a slice that reads the disk has fewer steps, the disk is slow or a network share. */
const SLOW_DISK_STEPS = 40;
const BACKGROUND_PAUSE_MS = 4 * SLICE_MS;

export interface TimeSliceOptions {
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Clock;
  /**
   * Each step is a synchronous call to the disk. On a slow disk one step can take longer than a slice. Then
   * each pause is as long as a slice, so that other work gets time.
   */
  readonly readsDisk?: boolean;
  /** For work that no caller waits for: each pause is four times as long as a slice. */
  readonly isBackground?: boolean;
}

/**
 * Use it as `if (slice.isSpent()) await slice.yield();` after each step. The test is separate, because an
 * `await` in every step would take more time than most steps.
 */
export class TimeSlice {
  readonly #signal: AbortSignal | undefined;
  readonly #clock: Clock;
  readonly #minSteps: number;
  readonly #isBackground: boolean;
  #startedAt: number;
  #steps = 0;
  #busyMs = 0;

  constructor(options: TimeSliceOptions = {}) {
    const { signal, clock = systemClock, readsDisk = false, isBackground = false } = options;
    this.#signal = signal;
    this.#isBackground = isBackground;
    this.#clock = clock;
    this.#minSteps = readsDisk ? SLOW_DISK_STEPS : 0;
    this.#startedAt = clock.monotonic();
  }

  /** Counts one step. Returns true if the slice has reached its length. */
  isSpent(): boolean {
    this.#steps += 1;
    return this.#clock.monotonic() - this.#startedAt >= SLICE_MS;
  }

  /** Ends the slice and starts the next in a later turn. Throws the signal's reason if it is aborted. */
  async yield(): Promise<void> {
    this.pause();
    if (this.#isBackground) await sleep(BACKGROUND_PAUSE_MS);
    else if (this.#steps < this.#minSteps) await sleep(SLICE_MS);
    await yieldToEventLoop(this.#signal);
    this.resume();
  }

  /** Stops counting busy time. Call it before an `await` of work that does not block the event loop. */
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

/** Runs a generator to its end without pauses, and returns its result. */
export function runToCompletion<Value>(work: Generator<void, Value>): Value {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

/** Runs a generator to its end, and yields to the event loop every few milliseconds. Returns its result. */
export async function runInSlices<Value>(work: Generator<void, Value>): Promise<Value> {
  const slice = new TimeSlice();
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    if (slice.isSpent()) await slice.yield();
  }
}
