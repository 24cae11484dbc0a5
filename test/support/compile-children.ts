/**
 * Packs the programs that tests start as processes of their own (pack-children.js), together with the
 * product, into test/dist. This is done before the tests, so that the programs run the same code as the
 * tests.
 */
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');

export function setup(): void {
  rmSync(resolve(ROOT, 'test/dist'), { recursive: true, force: true });
  const args = ['node_modules/rolldown/bin/cli.mjs', '-c', 'test/support/pack-children.js'];
  execFileSync(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] });
}
