/**
 * For test/search/index-cache.test.ts: builds the index of a folder and writes the
 * cache again and again until it is killed. Arguments: the folder, the cache.
 */
import { silentLog as log } from '../../../src/base/log.js';
import { saveIndexCache } from '../../../src/search/cache/index-cache.js';
import { MessageIndex } from '../../../src/search/messages/message-index.js';
import { openConversationStore } from '../../../src/stores/conversations/conversations.js';

const [logsFolder = '', path = ''] = process.argv.slice(2);
const store = await openConversationStore({ logsFolder, maxMessages: 10_000, fsync: false });
const index = new MessageIndex();
store.follow((change) => index.apply(change));
await store.lookAtAll();
process.stdout.write('ready\n');
for (;;) await saveIndexCache({ path, index, store, log });
