/** Values of callers, made fit to be written: a copy that is exactly what JSON will give back. */
import { AppError } from '../../base/errors.js';

/**
 * The value as the file will give it back, and nobody else's to change. VALIDATION_ERROR where JSON
 * cannot hold it: one caller's fault must not fail the write of all that wait.
 */
export function asStored<T extends object>(value: T): T {
  try {
    return JSON.parse(JSON.stringify(value));
  } catch (cause) {
    throw new AppError('VALIDATION_ERROR', 'The metadata cannot be written as JSON.', { cause });
  }
}
