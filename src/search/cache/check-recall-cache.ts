/**
 * Whether the cache of the recall index is correct: it can be read, and each conversation whose file is
 * still the one that was indexed has as many messages as that file. Changes nothing.
 */
import { silentLog } from '../../base/log.js';
import { messagesIn } from '../../recall/conversation-terms.js';
import type { CachedFiles } from './cached-files.js';
import { checkCachedConversations } from './check-cached-conversations.js';
import type { CacheCheck } from './check-index-cache.js';
import { loadRecallCache } from './recall-cache.js';

/** FILESYSTEM_ERROR; the signal's reason if it is aborted. */
export const checkRecallCache = (
  path: string,
  files: CachedFiles,
  signal: AbortSignal,
): Promise<CacheCheck> =>
  checkCachedConversations(
    { path, signal, ...files },
    async () => (await loadRecallCache({ path, log: silentLog }))?.conversations,
    async (store, id, { conversation }) => {
      const file = await store.peek(id);
      return file === undefined || file.head.messageCount === messagesIn(conversation);
    },
  );
