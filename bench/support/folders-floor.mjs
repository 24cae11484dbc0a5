/**
 * The least that the disk costs for many new conversations: writes the files of a folder of conversations
 * again, 16 at a time, by mkdir, write, fsync and rename. With `names`, it also fsyncs each folder, as an
 * import does. Prints the seconds. `node folders-floor.mjs <from> <to> [names]`
 */
import {
  closeSync,
  fsync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const syncFile = promisify(fsync);
const [from, to, syncsNames] = process.argv.slice(2);

async function syncFolder(path) {
  const opened = openSync(path);
  await syncFile(opened);
  closeSync(opened);
}

const names = readdirSync(from).filter((name) => /^\d/.test(name));
const contents = names.map((name) => readFileSync(join(from, name, 'conversation.json')));
mkdirSync(to);
const started = performance.now();
const next = names.entries();
const workers = Array.from({ length: 16 }, async () => {
  for (const [index, name] of next) {
    mkdirSync(join(to, name));
    const file = openSync(join(to, name, 'stage'), 'wx');
    writeSync(file, contents[index]);
    await syncFile(file);
    closeSync(file);
    renameSync(join(to, name, 'stage'), join(to, name, 'conversation.json'));
    if (syncsNames !== undefined) await syncFolder(join(to, name));
  }
});
await Promise.all(workers);
if (syncsNames !== undefined) await syncFolder(to);
console.log((performance.now() - started) / 1000);
