/**
 * A second process on a memory bank, on the built code, for tests of what processes do to each other.
 * `node note-user.mjs <dist> <folder> <name> append <path> <times> | fill <times> <max files>`
 * Says at the end, as one line of JSON, what each call came to.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [dist, folder, name, what, ...args] = process.argv.slice(2);
const { MemoryBank } = await import(
  pathToFileURL(join(dist, 'stores/memory-bank/memory-bank.js')).href
);
const results = [];

/** The code that the call fails with; `ok` where it does not. */
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
