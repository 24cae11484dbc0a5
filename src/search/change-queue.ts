/**
 * Changes that are applied to an index in their order, in time slices, so that nothing else has to wait. A
 * change that fails is logged and left out. Its error is not thrown: the store has the change already, and
 * a caller that gets an error would store it twice.
 */

import { TimeSlice } from '../base/async/time-slice.js';
import type { Log } from '../base/log.js';

export class ChangeQueue {
  readonly #log: Log;
  #isClosed = false;
  /** The first may be applied in part. */
  readonly #waiting: Generator<undefined, void>[] = [];
  #applying: Promise<void> | undefined;
  #hasFailed = false;

  constructor(log: Log) {
    this.#log = log;
  }

  /** The application of pending changes; `undefined` if there are none. */
  get applying(): Promise<void> | undefined {
    return this.#applying;
  }

  /** True if the index has every change. Otherwise it is older than the store and must not be saved. */
  get hasAll(): boolean {
    return this.#waiting.length === 0 && !this.#hasFailed;
  }

  /** Returns a promise if the steps take longer than a time slice: the rest runs in the background. */
  add(steps: Generator<undefined, void>): Promise<void> | undefined {
    this.#waiting.push(steps);
    if (this.#applying !== undefined) return this.#applying;
    const slice = new TimeSlice();
    if (this.#applyUntilSpent(slice)) return undefined;
    this.#applying = this.#applyRest(slice).finally(() => {
      this.#applying = undefined;
    });
    return this.#applying;
  }

  /** Ends the application in the background after the current time slice. */
  close(): void {
    this.#isClosed = true;
  }

  async #applyRest(slice: TimeSlice): Promise<void> {
    do await slice.yield();
    while (!this.#isClosed && !this.#applyUntilSpent(slice));
  }

  /** True if no change is left. */
  #applyUntilSpent(slice: TimeSlice): boolean {
    for (let [steps] = this.#waiting; steps !== undefined; [steps] = this.#waiting) {
      try {
        while (steps.next().done !== true) if (slice.isSpent()) return false;
      } catch (error) {
        this.#hasFailed = true;
        this.#log.error({ err: error }, 'a change could not be indexed');
      }
      this.#waiting.shift();
    }
    return true;
  }
}
