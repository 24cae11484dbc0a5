/**
 * Run by index-cache.test.ts in a process of its own: builds the index of a folder and writes the
 * cache again and again until it is killed. Arguments: the compiled sources, the folder, the cache.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [dist, logsFolder, path] = process.argv.slice(2);
const load = (file) => import(pathToFileURL(join(dist, file)).href);
const { openConversationStore } = await load('stores/conversations.js');
const { saveIndexCache } = await load('search/index-cache.js');
const { MessageIndex } = await load('search/message-index.js');
const { silentLog: log } = await load('base/log.js');

const store = await openConversationStore({ logsFolder, maxMessages: 10_000, fsync: false });
const index = new MessageIndex();
store.follow((change) => index.apply(change));
await store.lookAtAll();
process.stdout.write('ready\n');
for (;;) await saveIndexCache({ path, index, store, log });
