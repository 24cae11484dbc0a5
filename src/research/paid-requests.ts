/**
 * The requests to Perplexity whose answers are paid for. If a caller cancels, its call ends, but a request that
 * was sent goes on, and its answer is stored. A call that asks the same while no other waits gets the answer of
 * that request and costs nothing. When the server ends, the requests are cancelled after a grace period.
 */
import type { GracePeriod } from '../base/async/grace-period.js';
import { PendingWork } from '../base/async/pending-work.js';
import { AppError } from '../base/errors.js';

/** What the work of a request is told. */
export interface PaidRequest {
  /** Aborted at the end of the grace period, when the server ends. */
  readonly signal: AbortSignal;
  /** False if the caller has left: what was not sent yet is not sent any more. */
  isWanted(): boolean;
}

interface Running<T> {
  readonly done: Promise<T>;
  isWanted: boolean;
}

export class PaidRequests {
  readonly #grace: GracePeriod;
  readonly #running = new PendingWork();
  /** By key: running requests that no call waits for. */
  readonly #left = new Map<string, Running<unknown>>();

  constructor(grace: GracePeriod) {
    this.#grace = grace;
  }

  /**
   * Runs `work`, which sends one request and stores its answer. `key` is the same for the same question. Throws
   * `whenLeft()` as soon as the caller cancels.
   */
  async run<T>(
    key: string,
    caller: AbortSignal | undefined,
    whenLeft: () => AppError,
    work: (request: PaidRequest) => Promise<T>,
  ): Promise<T> {
    if (caller?.aborted) throw new AppError('CANCELLED', 'The call was cancelled.');
    const running = (this.#left.get(key) as Running<T> | undefined) ?? this.#begin(work);
    this.#left.delete(key);
    running.isWanted = true;
    const leave = () => {
      running.isWanted = false;
      this.#left.set(key, running);
      return whenLeft();
    };
    const forget = () => {
      if (this.#left.get(key) === running) this.#left.delete(key);
    };
    return this.#grace.untilLeft(running.done.finally(forget), caller, leave);
  }

  /** Runs `work`, which sends a request that no caller can leave. */
  send<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return this.#running.track(work(this.#grace.signal));
  }

  /** Resolves when all answers are stored. Requests that have none after the grace period are cancelled. */
  async close(): Promise<void> {
    this.#grace.begin();
    await this.#running.idle();
  }

  #begin<T>(work: (request: PaidRequest) => Promise<T>): Running<T> {
    const { signal } = this.#grace;
    const state = { isWanted: true };
    const done = this.#running.track(work({ signal, isWanted: () => state.isWanted }));
    return Object.assign(state, { done });
  }
}
