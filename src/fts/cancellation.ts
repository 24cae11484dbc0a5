/** Cancels a search between its steps. */
import { AppError } from '../base/errors.js';

/** Throws `CANCELLED` if the signal is aborted. */
export function throwIfCancelled(signal: AbortSignal | undefined): void {
  if (signal?.aborted)
    throw new AppError('CANCELLED', 'The search was cancelled.', { cause: signal.reason });
}
