/**
 * Compiles the programs that crash tests start as processes of their own (test/crash/children), with
 * the product they use, to test/dist: before any test, so that they run what the tests import.
 */
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');

export function setup(): void {
  rmSync(resolve(ROOT, 'test/dist'), { recursive: true, force: true });
  const tsc = resolve(ROOT, 'node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [tsc, '-p', 'test/support/tsconfig.json'], {
    cwd: ROOT,
    stdio: 'inherit',
  });
}
