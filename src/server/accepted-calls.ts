/**
 * The calls that a server has accepted and not yet answered. Before it ends, the server waits for them,
 * so that all writes are finished. MCP servers and the page use it.
 */
import { PendingWork } from '../base/async/pending-work.js';
import type { ServerEndError, SessionEndError } from '../base/async/server-end.js';

/** A server that ends waits this long for the accepted calls. */
export const FINISH_MS = 8_000;

export class AcceptedCalls {
  readonly #running = new PendingWork();
  readonly #ending = new AbortController();

  /**
   * Aborted with a ServerEndError when the server ends, and with a SessionEndError when only the session ends. A
   * call that waits should then answer; a write is still finished.
   */
  get endSignal(): AbortSignal {
    return this.#ending.signal;
  }

  /** True while no accepted call is running. */
  get isIdle(): boolean {
    return this.#running.isIdle;
  }

  /** Runs `work` as an accepted call, and returns its result or throws its error. */
  async track<T>(work: () => Promise<T>): Promise<T> {
    return this.#running.track(work());
  }

  /** Aborts `endSignal`, and resolves when no accepted call is running. */
  async end(reason: ServerEndError | SessionEndError): Promise<void> {
    this.#ending.abort(reason);
    await this.idle();
  }

  /** Resolves when no accepted call is running. */
  idle(): Promise<void> {
    return this.#running.idle();
  }
}
