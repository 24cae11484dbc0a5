/**
 * A second process that prunes or archives a root with the built code, for tests of kills and of two
 * processes. It prints `ready` before it begins and `done` at the end.
 * `node retention-user.mjs <dist> <root> <prune | archive>`
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [dist, root, what] = process.argv.slice(2);
const load = (path) => import(pathToFileURL(join(dist, path)).href);
const { openConversationStore } = await load('stores/conversations/conversations.js');
const { systemClock: clock } = await load('base/clock.js');
const { Archives } = await load('maintenance/archives/archives.js');
const { chooseByRules } = await load('maintenance/retention/prunable-conversations.js');
const { Retention } = await load('maintenance/retention/retention.js');
const { TrashBin } = await load('maintenance/trash-bin.js');

const logsFolder = join(root, 'conversation-logs');
const shared = { logsFolder, fsync: false, clock };
const conversations = await openConversationStore({ ...shared, maxMessages: 1000 });
const rule = { olderThanDays: 90 };
const chosen = await chooseByRules(conversations, [rule], clock.now());
process.stdout.write('ready\n');
if (what === 'prune') {
  const retention = new Retention({ conversations, trash: new TrashBin({ conversations }) });
  await retention.carryOut({ conversations: chosen, trash: [] });
} else {
  const archives = new Archives({ ...shared, folder: join(root, 'archive'), conversations });
  await archives.archive(chosen);
}
process.stdout.write('done\n');
await conversations.close();
