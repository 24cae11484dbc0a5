/**
 * Run by watcher-limits.test.ts in a process of its own: watches a folder, makes one change, and
 * says as JSON what it saw. Must end by itself once the watcher is closed.
 * Arguments: the compiled watcher, the folder.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

const [compiled, root] = process.argv.slice(2);
const { openWatcher } = await import(pathToFileURL(compiled));
const lines = [];
const log = { debug: () => lines.push('debug'), warn: (_facts, text) => lines.push(text) };
let seen = '';
const watcher = openWatcher({
  root,
  match: (path) => path.endsWith('.md'),
  log: { ...log, error: log.warn },
  onChange: (changes) => {
    seen = changes[0].path;
  },
});
await watcher.ready;
const startedAt = performance.now();
while (watcher.status().mode === 'watching' && watcher.status().watchedFolders < 21)
  await delay(10);
await delay(200);
const { mode, errors, watchedFolders } = watcher.status();
writeFileSync(join(root, 'f3/note.md'), 'changed');
const changedAt = performance.now();
while (seen === '' && performance.now() - startedAt < 20_000) await delay(10);
const latencyMs = performance.now() - changedAt;
await watcher.close();
const closedAt = performance.now();
process.on('exit', () => {
  const exitMs = performance.now() - closedAt;
  const said = { mode, errors, watchedFolders, seen, latencyMs, exitMs, lines };
  process.stdout.write(JSON.stringify(said));
});
