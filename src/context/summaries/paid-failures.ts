/**
 * Remembers for ten minutes which requests to language models failed although they may have been paid for, so
 * that they are not paid for again at each call. A request that a model refused costs nothing and is not
 * remembered. The failures are also in `summaries.json`, so that other servers know them.
 */
import { type Clock, isoTime } from '../../base/clock.js';
import { AppError, errorWith } from '../../base/errors.js';
import { sha256Hex } from '../../base/ids.js';
import type { RequestOutcome } from '../../providers/http-client.js';
import type { PaidFailure } from '../../stores/summaries/summary-file.js';

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

  /**
   * The error of the same request in the last ten minutes, here or in `stored`, and with `atAnyTime` also an earlier
   * one in `stored`. Its message says when the model is asked again.
   */
  of(
    request: string,
    stored: readonly PaidFailure[] = [],
    atAnyTime = false,
  ): AppError | undefined {
    this.#forgetOld();
    const failure = this.#failures.get(request) ?? this.#stored(request, stored, atAnyTime);
    if (failure === undefined) return undefined;
    const { message, details, hint, isGeneralHint } = failure.error;
    const askNow = 'To ask the model now, call again with refresh: true.';
    return errorWith(failure.error, {
      message: `${message} The model is not asked again for this summary before ${failure.until}.`,
      hint: isGeneralHint ? askNow : `${hint} ${askNow}`,
      details: { ...details, isRemembered: true },
    });
  }

  /** Returns false, and remembers nothing, if the request certainly cost nothing. */
  add(request: string, error: AppError): boolean {
    if (error.details?.['outcome'] !== 'unknown') return false;
    this.#failures.delete(request);
    this.#failures.set(request, {
      error,
      at: this.#clock.monotonic(),
      until: isoTime(this.#clock.now() + REMEMBERED_MS),
    });
    return true;
  }

  #stored(
    request: string,
    stored: readonly PaidFailure[],
    atAnyTime: boolean,
  ): Pick<Failure, 'error' | 'until'> | undefined {
    const found = stored.find((each) => each.request === sha256Hex(request));
    if (found === undefined) return undefined;
    const { code, provider, failedAt } = found;
    const ageMs = this.#clock.now() - Date.parse(failedAt);
    if (!atAnyTime && !(ageMs >= 0 && ageMs < REMEMBERED_MS)) return undefined;
    const details = { provider, outcome: 'unknown' satisfies RequestOutcome };
    const error = new AppError(code, `${provider} failed for this summary at ${failedAt}.`, {
      details,
    });
    return { error, until: isoTime(Date.parse(failedAt) + REMEMBERED_MS) };
  }

  #forgetOld(): void {
    const limit = this.#clock.monotonic() - REMEMBERED_MS;
    for (const [request, { at }] of this.#failures) {
      if (at > limit) return;
      this.#failures.delete(request);
    }
  }
}
