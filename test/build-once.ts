/**
 * Builds `dist` before the tests, because those in `e2e/` start the built command:
 * without it they would test the last build instead of the sources. `DAYBOOK_BUILT=1` says that the
 * last build is of these sources.
 */
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');
const run = (...args: string[]) =>
  execFileSync(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] });

export default function buildOnce(): void {
  if (process.env['DAYBOOK_BUILT'] === '1') return;
  rmSync(join(ROOT, 'dist'), { recursive: true, force: true });
  run('node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json');
  run('rolldown.config.js');
  run('node_modules/vite/bin/vite.js', 'build', 'page');
  run('node_modules/vite/bin/vite.js', 'build', 'page', '-c', 'page/vite.mcp-app.config.ts');
}
