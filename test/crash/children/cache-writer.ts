/**
 * A process for the tests of the caches in test/search. It builds an index of a folder and writes the cache
 * of the index again and again until it is killed. Arguments: the folder, the path of the cache, and
 * `recall` if the index is the one of recall.
 */
import { systemClock as clock } from '../../../src/base/clock.js';
import { silentLog as log } from '../../../src/base/log.js';
import { writeCache } from '../../../src/search/cache/cache-file.js';
import { recallChunks } from '../../../src/search/cache/recall-cache.js';
import { KeywordSearch } from '../../../src/search/messages/keyword-search.js';
import { MessageIndex } from '../../../src/search/messages/message-index.js';
import { RecallSync } from '../../../src/search/recall/recall-sync.js';
import { openConversationStore } from '../../../src/stores/conversations/conversations.js';
import { saveIndexCache } from '../../support/save-index-cache.js';

const [logsFolder = '', path = '', which] = process.argv.slice(2);
const store = await openConversationStore({ logsFolder, maxMessages: 10_000, fsync: false });
const index = new MessageIndex();
const search = new KeywordSearch({ store, cachePath: undefined, clock, log });
const recall = new RecallSync({ store, search, log });
if (which === 'recall') await recall.build();
else {
  store.follow((change) => index.apply(change));
  await store.refresh();
}
process.stdout.write('ready\n');
for (;;) {
  if (which === 'recall') await writeCache({ path, log }, recallChunks(recall.index, store));
  else await saveIndexCache({ path, index, store, log });
}
