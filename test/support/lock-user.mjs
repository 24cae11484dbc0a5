/**
 * A second process for tests of the write lock, with the built code. It acquires a lock again and again, or
 * holds it until its standard input ends, and prints what it did as lines. With `handoff` it leaves the lock
 * to its own next call.
 * `node lock-user.mjs <dist> <locks folder> <name> <hold | count | handoff> [times]`
 */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [dist, locksFolder, name, what, times] = process.argv.slice(2);
const { withLock } = await import(pathToFileURL(join(dist, 'files/locks/file-lock.js')).href);
const say = (line) => process.stdout.write(`${line}\n`);

if (what === 'hold') {
  await withLock(locksFolder, name, async () => {
    say('held');
    await new Promise((resolve) => process.stdin.resume().once('end', resolve));
  });
  say('released');
} else {
  say('ready');
  for (let n = 0; n < Number(times); n += 1) {
    await withLock(locksFolder, name, async (lock) => {
      appendFileSync(join(locksFolder, '..', 'turns'), `${process.pid} begin\n`);
      await new Promise((resolve) => setTimeout(resolve, 1));
      appendFileSync(join(locksFolder, '..', 'turns'), `${process.pid} end\n`);
      if (what !== 'handoff') return;
      const target = join(locksFolder, '..', 'target');
      await lock.replace(target, Buffer.from('x'), { fsync: false }, { isLast: true });
    });
  }
  say('done');
}
