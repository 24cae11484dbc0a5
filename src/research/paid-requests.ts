/**
 * The requests to Perplexity whose answers are paid for. If a caller cancels, its call ends, but a request that
 * was sent goes on, and its answer is stored. A call that asks the same while no other waits gets the answer of
 * that request and costs nothing. When the server ends, the requests are cancelled after a grace period.
 */
import { PendingWork } from '../base/async/pending-work.js';
import { ServerEndError } from '../base/async/server-end.js';
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
  readonly #graceMs: number;
  readonly #running = new PendingWork();
  readonly #ended = new AbortController();
  /** By key: running requests that no call waits for. */
  readonly #left = new Map<string, Running<unknown>>();
  #isEnding = false;

  constructor(graceMs: number) {
    this.#graceMs = graceMs;
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
    if (caller === undefined) return running.done;
    return new Promise<T>((resolve, reject) => {
      const onAbort = () => {
        if (caller.reason instanceof ServerEndError) return this.#beginEnd();
        running.isWanted = false;
        this.#left.set(key, running);
        reject(whenLeft());
      };
      caller.addEventListener('abort', onAbort, { once: true });
      const end = () => {
        caller.removeEventListener('abort', onAbort);
        if (this.#left.get(key) === running) this.#left.delete(key);
      };
      running.done.finally(end).then(resolve, reject);
    });
  }

  /** Runs `work`, which sends a request that no caller can leave. */
  send<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return this.#running.track(work(this.#ended.signal));
  }

  /** Resolves when all answers are stored. Requests that have none after the grace period are cancelled. */
  async close(): Promise<void> {
    this.#beginEnd();
    await this.#running.idle();
    this.#ended.abort();
  }

  #begin<T>(work: (request: PaidRequest) => Promise<T>): Running<T> {
    const isWanted = () => running.isWanted;
    const running = {
      isWanted: true,
      // `work` reads `running`, so it starts when `running` is assigned.
      done: this.#running.track(
        Promise.resolve().then(() => work({ signal: this.#ended.signal, isWanted })),
      ),
    };
    return running;
  }

  #beginEnd(): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    setTimeout(() => this.#ended.abort(), this.#graceMs).unref();
  }
}
