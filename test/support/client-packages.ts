/**
 * Programs of other authors that tests start as clients: the packages of test/clients. They are larger than
 * all other packages together, and only two tests use them. So the first of these tests installs them, not
 * `npm ci`.
 */
import { execFile } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { lock } from 'proper-lockfile';

const FOLDER = resolve(import.meta.dirname, '../clients');
/** npm writes this file last. */
const DONE = join(FOLDER, 'node_modules/.package-lock.json');

const isInstalled = () =>
  existsSync(DONE) && statSync(DONE).mtimeMs >= statSync(join(FOLDER, 'package-lock.json')).mtimeMs;

/** The path of a file of those packages. Installs them if they are missing. */
export async function clientFile(path: string): Promise<string> {
  if (!isInstalled()) {
    // Test files run at the same time in different processes.
    const release = await lock(FOLDER, { retries: { retries: 600, factor: 1, minTimeout: 500 } });
    try {
      const ci = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
      if (!isInstalled()) await promisify(execFile)('npm', ci, { cwd: FOLDER });
    } finally {
      await release();
    }
  }
  return join(FOLDER, 'node_modules', path);
}
