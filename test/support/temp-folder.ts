/**
 * A real folder for one test, removed when the test has ended.
 */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

export function tempFolder(parent = tmpdir()): string {
  const path = realpathSync(mkdtempSync(join(parent, 'daybook-test-')));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
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
