/** Normalizes callers' values before they are written. */
import { AppError } from '../../../base/errors.js';
import { isDeeperThan, MOST_LEVELS_WRITTEN } from '../../../base/json-depth.js';

/**
 * A copy of the value as it will be read back from the file. VALIDATION_ERROR if JSON cannot hold
 * it, or it is nested deeper than 500 levels: one caller's mistake must not fail the commit of all
 * callers that wait.
 */
export function asStored<T extends object>(value: T): T {
  if (isDeeperThan(MOST_LEVELS_WRITTEN, value)) {
    throw new AppError(
      'VALIDATION_ERROR',
      `The metadata is nested deeper than ${MOST_LEVELS_WRITTEN} levels.`,
    );
  }
  try {
    return JSON.parse(JSON.stringify(value));
  } catch (cause) {
    throw new AppError('VALIDATION_ERROR', 'The metadata cannot be written as JSON.', { cause });
  }
}
