/**
 * A second process for tests of backups, with the built code.
 * `node backup-user.mjs <dist> <root> write`: saves messages and replaces a note until stdin ends.
 * `node backup-user.mjs <dist> <root> backup`: makes one backup; prints `started` at its first file.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [dist, root, what] = process.argv.slice(2);
const load = (path) => import(pathToFileURL(join(dist, path)).href);
const say = (line) => process.stdout.write(`${line}\n`);
const logsFolder = join(root, 'conversation-logs');

if (what === 'write') {
  const { openConversationStore } = await load('stores/conversations/conversations.js');
  const store = await openConversationStore({ logsFolder, fsync: false, maxMessages: 10_000 });
  let isEnding = false;
  process.stdin.resume().once('end', () => {
    isEnding = true;
  });
  for (let n = 0; !isEnding; n += 1) {
    const messages = [{ role: 'user', content: `${n} ${'x'.repeat(5000)}` }];
    await store.append(`key-${n % 20}`, messages, { create: true });
    if (n === 20) say('writing');
    if (n % 7 === 6) await store.trash(`key-${n % 20}`);
  }
} else {
  const { Backups } = await load('maintenance/backup/backup.js');
  const { systemClock: clock } = await load('base/clock.js');
  const areas = [{ name: 'conversation-logs', folder: logsFolder }];
  const folder = join(root, 'backups');
  const backups = new Backups({ folder, areas, keepDays: 30, clock, fsync: true });
  const { path } = await backups.make({ onFile: (count) => count === 1 && say('started') });
  say(path);
}
