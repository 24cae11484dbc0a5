/** The AppError that a promise must reject with. */
import { expect } from 'vitest';
import { AppError } from '../../src/base/errors.js';

export async function errorOf(promise: Promise<unknown>): Promise<AppError> {
  const error = await promise.then(
    (value) => value,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(AppError);
  return error as AppError;
}
