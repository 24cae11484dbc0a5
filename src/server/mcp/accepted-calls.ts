/**
 * The calls that a server has accepted and not yet answered. The server waits for them before it
 * ends, so that it breaks off no write. This file does not depend on MCP.
 */
import { PendingWork } from '../../base/pending-work.js';

export class AcceptedCalls {
  readonly #running = new PendingWork();
  readonly #ending = new AbortController();

  /** Aborted when the server ends: calls that wait should answer now; writes still finish. */
  get endSignal(): AbortSignal {
    return this.#ending.signal;
  }

  /** True while no accepted call is running. */
  get isIdle(): boolean {
    return this.#running.isIdle;
  }

  /** Runs `work` as an accepted call; settles as it does. */
  async track<T>(work: () => Promise<T>): Promise<T> {
    return this.#running.track(work());
  }

  /** Signals the end and resolves once no accepted call is running. */
  async end(): Promise<void> {
    this.#ending.abort();
    await this.idle();
  }

  /** Resolves once no accepted call is running. */
  idle(): Promise<void> {
    return this.#running.idle();
  }
}
