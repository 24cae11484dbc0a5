/** Collects what nothing in the process catches while the tests of a file run. */
import { afterAll, beforeAll } from 'vitest';

/** The errors so far: uncaught exceptions, and rejections that nothing handles. */
export function uncaughtErrors(): readonly unknown[] {
  const errors: unknown[] = [];
  const add = (error: unknown) => errors.push(error);
  beforeAll(() => void process.on('uncaughtException', add).on('unhandledRejection', add));
  afterAll(() => void process.off('uncaughtException', add).off('unhandledRejection', add));
  return errors;
}
