/** Copies callers' values through JSON before they are written. */
import { AppError } from '../../../base/errors.js';
import { isDeeperThan, MAX_LEVELS_WRITTEN } from '../../json-depth.js';

/** VALIDATION_ERROR if the value is nested too deep or contains itself. */
export function requireDepth(value: unknown): void {
  if (!isDeeperThan(MAX_LEVELS_WRITTEN, value)) return;
  throw new AppError(
    'VALIDATION_ERROR',
    `The metadata is nested deeper than ${MAX_LEVELS_WRITTEN} levels, or contains itself.`,
  );
}

/** JSON writes null for a number such as 1e400, which JSON.parse reads as Infinity. */
const numbersAsText = (_key: string, value: unknown): unknown =>
  typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;

/**
 * Returns the value as it will be read back from the file. A number that JSON cannot represent becomes a text, such
 * as `Infinity`; only imports have such numbers, because the tools refuse them. VALIDATION_ERROR if JSON cannot
 * represent the value. This check comes before the write, because an error in the write would fail all callers of
 * the same commit.
 */
export function jsonCopy<T extends object>(value: T): T {
  requireDepth(value);
  try {
    const text = JSON.stringify(value);
    return JSON.parse(text.includes('null') ? JSON.stringify(value, numbersAsText) : text);
  } catch (cause) {
    throw new AppError('VALIDATION_ERROR', 'The metadata cannot be written as JSON.', { cause });
  }
}
