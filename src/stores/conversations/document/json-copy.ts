/** Copies callers' values through JSON before they are written. */
import { AppError } from '../../../base/errors.js';
import { isDeeperThan, MAX_LEVELS_WRITTEN } from '../../../base/json-depth.js';

/**
 * Returns the value as it will be read back from the file. VALIDATION_ERROR if JSON cannot represent it.
 * This check comes before the write, because an error in the write would fail all callers of the same commit.
 */
export function jsonCopy<T extends object>(value: T): T {
  if (isDeeperThan(MAX_LEVELS_WRITTEN, value)) {
    throw new AppError(
      'VALIDATION_ERROR',
      `The metadata is nested deeper than ${MAX_LEVELS_WRITTEN} levels.`,
    );
  }
  try {
    return JSON.parse(JSON.stringify(value));
  } catch (cause) {
    throw new AppError('VALIDATION_ERROR', 'The metadata cannot be written as JSON.', { cause });
  }
}
