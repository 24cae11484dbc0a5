/** Normalizes callers' values before they are written. */
import { AppError } from '../../../base/errors.js';

/**
 * A copy of the value as it will be read back from the file. VALIDATION_ERROR if JSON cannot hold
 * it: one caller's mistake must not fail the commit of all callers that wait.
 */
export function asStored<T extends object>(value: T): T {
  try {
    return JSON.parse(JSON.stringify(value));
  } catch (cause) {
    throw new AppError('VALIDATION_ERROR', 'The metadata cannot be written as JSON.', { cause });
  }
}
