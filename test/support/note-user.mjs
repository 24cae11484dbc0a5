/**
 * A second process that uses a memory bank, with the built code, for tests of several processes. At the end
 * it prints the result of each call, as one line of JSON.
 * `node note-user.mjs <dist> <folder> <name> append <path> <times> | fill <times> <max files>`
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [dist, folder, name, what, ...args] = process.argv.slice(2);
const { MemoryBank } = await import(
  pathToFileURL(join(dist, 'stores/memory-bank/memory-bank.js')).href
);
const results = [];

/** The code of the error of the call; `ok` if there is none. */
async function attempt(work) {
  try {
    await work();
    return 'ok';
  } catch (error) {
    return error.code;
  }
}

if (what === 'append') {
  const [path, times] = args;
  const bank = new MemoryBank({ folder, maxFiles: 10, fsync: false });
  for (let n = 0; n < Number(times); n += 1)
    results.push(
      await attempt(() => bank.edit(path, undefined, (text) => `${text}${name} ${n}\n`)),
    );
} else {
  const [times, maxFiles] = args;
  const bank = new MemoryBank({ folder, maxFiles: Number(maxFiles), fsync: false });
  for (let n = 0; n < Number(times); n += 1)
    results.push(await attempt(() => bank.add(`${name}-${n}.md`, 'x')));
}
process.stdout.write(`${JSON.stringify(results)}\n`);
