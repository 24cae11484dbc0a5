/**
 * Remembers for ten minutes which requests to language models failed although they may have been paid for, so
 * that they are not paid for again at each call. A request that a model refused costs nothing and is not
 * remembered.
 */
import { type Clock, isoTime } from '../../base/clock.js';
import { AppError } from '../../base/errors.js';

const REMEMBERED_MS = 10 * 60_000;

interface Failure {
  readonly error: AppError;
  readonly at: number;
  readonly until: string;
}

export class PaidFailures {
  readonly #clock: Clock;
  /** By request, the oldest first. */
  readonly #failures = new Map<string, Failure>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The error of the same request in the last ten minutes. Its message says when the model is asked again. */
  of(request: string): AppError | undefined {
    this.#forgetOld();
    const failure = this.#failures.get(request);
    if (failure === undefined) return undefined;
    const { code, message, details, retryable, hint, isGeneralHint } = failure.error;
    const askNow = 'To ask the model now, call again with refresh: true.';
    return new AppError(
      code,
      `${message} The model is not asked again for this summary before ${failure.until}.`,
      {
        hint: isGeneralHint ? askNow : `${hint} ${askNow}`,
        ...(details && { details }),
        retryable,
        cause: failure.error,
      },
    );
  }

  /** Does nothing if the request certainly cost nothing. */
  add(request: string, error: AppError): void {
    if (error.details?.['outcome'] !== 'unknown') return;
    this.#failures.delete(request);
    this.#failures.set(request, {
      error,
      at: this.#clock.monotonic(),
      until: isoTime(this.#clock.now() + REMEMBERED_MS),
    });
  }

  #forgetOld(): void {
    const limit = this.#clock.monotonic() - REMEMBERED_MS;
    for (const [request, { at }] of this.#failures) {
      if (at > limit) return;
      this.#failures.delete(request);
    }
  }
}
