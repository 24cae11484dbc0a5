/**
 * watcher-limits.test.ts runs this in a separate process: it watches a folder, makes one change, and prints
 * as JSON what it saw. It must end by itself when the watcher is closed. Arguments: the compiled watcher, the
 * folder.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

const [compiled, root] = process.argv.slice(2);
const { Watcher } = await import(pathToFileURL(compiled));
const lines = [];
const log = { debug: () => lines.push('debug'), warn: (_facts, text) => lines.push(text) };
let seen = '';
const watcher = new Watcher({
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
let looks = 1;
for (; seen === '' && performance.now() - startedAt < 120_000; looks += 1) await delay(10);
await watcher.close();
/** The handles that would keep the process alive. The system needs a moment to close a watch. */
let left = process.getActiveResourcesInfo();
for (let look = 0; left.length > 0 && look < 1_000; look += 1) {
  await delay(10);
  left = process.getActiveResourcesInfo();
}
process.on('exit', () => {
  const said = { mode, errors, watchedFolders, seen, looks, left, lines };
  process.stdout.write(JSON.stringify(said));
});
