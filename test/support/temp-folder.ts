/**
 * A real folder, which is removed at the end of the test that makes it, or of the file if no test runs yet.
 */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished, TestRunner } from 'vitest';

export function tempFolder(parent = tmpdir()): string {
  const path = realpathSync(mkdtempSync(join(parent, 'daybook-test-')));
  const atEnd = TestRunner.getCurrentTest() === undefined ? afterAll : onTestFinished;
  atEnd(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Runs `work` with another umask. Each test file runs in its own process, so others are not affected. */
export async function withUmask<T>(mask: number, work: () => Promise<T>): Promise<T> {
  const before = process.umask(mask);
  try {
    return await work();
  } finally {
    process.umask(before);
  }
}
