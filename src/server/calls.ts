/**
 * The calls that a server has accepted and not yet answered, so that it can end without
 * breaking off a write. Knows nothing of MCP.
 */

export class Calls {
  readonly #running = new Set<Promise<unknown>>();
  readonly #ending = new AbortController();

  /** Aborted when the server ends: waiting calls should answer now, writes finish all the same. */
  get endSignal(): AbortSignal {
    return this.#ending.signal;
  }

  /** No accepted call is running. */
  get isIdle(): boolean {
    return this.#running.size === 0;
  }

  /** Runs `work` as an accepted call; settles as it does. */
  async track<T>(work: () => Promise<T>): Promise<T> {
    const running = work();
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  /** Signals the end and resolves once no accepted call is running any more. */
  async end(): Promise<void> {
    this.#ending.abort();
    await this.idle();
  }

  /** Resolves once no accepted call is running. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
  }
}
