/**
 * The time at the end of a server in which requests that are paid for can still be answered. All of them share one
 * period, so that the server ends in time.
 */
import { ServerEndError } from './server-end.js';

const GRACE_MS = 5_000;

export class GracePeriod {
  readonly #ms: number;
  readonly #ended = new AbortController();
  #hasBegun = false;

  constructor(ms = GRACE_MS) {
    this.#ms = ms;
  }

  /** Aborted at the end of the period: cancels the requests. */
  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  /** A second call has no effect. */
  begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    setTimeout(() => this.#ended.abort(), this.#ms).unref();
  }

  /**
   * Settles like `work`. If `caller` cancels before, it rejects with `whenLeft()`, and `work` goes on. If `caller` is
   * aborted because the server ends, the period begins.
   */
  untilLeft<T>(
    work: Promise<T>,
    caller: AbortSignal | undefined,
    whenLeft: () => unknown,
  ): Promise<T> {
    if (caller === undefined) return work;
    return new Promise<T>((resolve, reject) => {
      const onAbort = () => {
        if (caller.reason instanceof ServerEndError) this.begin();
        else reject(whenLeft());
      };
      if (caller.aborted) onAbort();
      else caller.addEventListener('abort', onAbort, { once: true });
      const end = () => caller.removeEventListener('abort', onAbort);
      work.finally(end).then(resolve, reject);
    });
  }
}
