/** Collects the uncaught errors of the process while the tests of a file run. */
import { afterAll, beforeAll } from 'vitest';

/** The errors so far: uncaught exceptions and unhandled rejections. */
export function uncaughtErrors(): readonly unknown[] {
  const errors: unknown[] = [];
  const add = (error: unknown) => errors.push(error);
  beforeAll(() => void process.on('uncaughtException', add).on('unhandledRejection', add));
  afterAll(() => void process.off('uncaughtException', add).off('unhandledRejection', add));
  return errors;
}
