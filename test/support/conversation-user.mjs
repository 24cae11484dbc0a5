/**
 * A second process that uses a logs folder, with the built code, for tests of several processes and of kills.
 * It prints each step as a line.
 * `node conversation-user.mjs <dist> <logs folder> <append | churn> [id]`
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [dist, logsFolder, what, id] = process.argv.slice(2);
const module = pathToFileURL(join(dist, 'stores/conversations/conversations.js')).href;
const { openConversationStore } = await import(module);
const store = await openConversationStore({ logsFolder, maxMessages: 10_000, fsync: false });
const say = (line) => process.stdout.write(`${line}\n`);
const user = (content) => ({ role: 'user', content });

if (what === 'append') {
  say('ready');
  for (let n = 0; ; n += 1) {
    try {
      await store.append(id, [user(`other ${n}`)]);
      say(`saved other ${n}`);
    } catch (error) {
      say(`refused ${error.code}`);
      break;
    }
  }
} else {
  // Each round creates two conversations, branches one, merges the two, deletes, restores and purges.
  for (let n = 0; ; n += 1) {
    const made = [];
    for (const name of ['a', 'b']) {
      const messages = [0, 1, 2].map((at) => user(`${name}${n}.${at}`));
      made.push(await store.create({ title: `${name}${n}`, messages }));
    }
    const [a, b] = made;
    say(`made ${n}`);
    const branch = await store.branch(a.conversationId, a.messages[1].id, { title: `c${n}` });
    const { head } = await store.merge(a.conversationId, b.conversationId, { title: `m${n}` });
    await store.trash(branch.conversationId);
    await store.restore(branch.conversationId);
    await store.update(head.conversationId, { pinned: true });
    await store.remove(branch.conversationId);
    say(`done ${n}`);
  }
}
