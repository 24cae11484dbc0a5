/** Opens what is derived from the stored messages: the search index, recall and the figures. */
import { Figures } from '../../analytics/figures.js';
import type { Clock } from '../../base/clock.js';
import type { Log } from '../../base/log.js';
import type { Config } from '../../config/config.js';
import { RelevantSnippets } from '../../context/snippets/relevant-snippets.js';
import type { VectorSource } from '../../recall/vector-source.js';
import { readCachedHeads } from '../../search/cache/index-cache.js';
import { MemorySearch, type MemoryStores } from '../../search/memory-search.js';
import { MessageSearch } from '../../search/message-search.js';
import { ActivitySearch } from '../../search/messages/activity-search.js';
import { KeywordSearch } from '../../search/messages/keyword-search.js';
import { RecallSearch } from '../../search/recall/recall-search.js';
import type { ConversationStore } from '../../stores/conversations/conversations.js';
import { indexCachePath } from '../cache-paths.js';

/** The conversations in the cached search index; `undefined` if they are not listed from it. */
export function cachedHeadsOf(config: Config, log: Log) {
  const path = indexCachePath(config);
  return path === undefined ? undefined : () => readCachedHeads({ path, log });
}

/** The services that search with recall. */
export function recallServices(
  search: KeywordSearch,
  recall: RecallSearch,
  conversations: ConversationStore,
  stores: Omit<MemoryStores, 'messageSearch'>,
) {
  const messageSearch = new MessageSearch(search, recall, new ActivitySearch(conversations));
  return {
    recall,
    messageSearch,
    relevantSnippets: new RelevantSnippets(recall),
    memorySearch: new MemorySearch({ ...stores, messageSearch }),
  };
}

/** Search index, recall and figures. They read no file before the first question or `start`. */
export function derivedOf(
  config: Config,
  store: ConversationStore,
  vectors: VectorSource | undefined,
  { clock, log }: { clock: Clock; log: Log },
) {
  const search = new KeywordSearch({ store, cachePath: indexCachePath(config), clock, log });
  const cachePath = indexCachePath(config, 'recall');
  const recall = new RecallSearch({
    store,
    search,
    cachePath,
    clock,
    log,
    timeZone: () => config.timeZone,
    ...(vectors && { vectors }),
  });
  const figures = new Figures({ store, cachePath: indexCachePath(config, 'figures'), log });
  return { search, recall, figures };
}
