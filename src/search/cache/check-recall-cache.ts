/**
 * Whether the cache of the recall index is correct: it can be read, and each conversation whose file is
 * still the one that was indexed has as many messages as that file. Changes nothing.
 */
import { isAppError } from '../../base/errors.js';
import { silentLog } from '../../base/log.js';
import { isSameStamp, readStamp } from '../../files/read/stamp.js';
import { messagesIn } from '../../recall/conversation-terms.js';
import { ConversationStore } from '../../stores/conversations/conversations.js';
import type { CacheCheck } from './check-index-cache.js';
import { loadRecallCache } from './recall-cache.js';

/** Throws FILESYSTEM_ERROR, or the reason of the signal if it is aborted. */
export async function checkRecallCache(
  path: string,
  logsFolder: string,
  signal: AbortSignal,
): Promise<CacheCheck> {
  if ((await readStamp(path)) === undefined) return { conversations: 0 };
  const cache = await loadRecallCache({ path, log: silentLog });
  if (cache === undefined) {
    return {
      conversations: 0,
      problem: 'cannot be used: it is damaged, or another version of Daybook wrote it',
    };
  }
  const maxMessages = Number.POSITIVE_INFINITY;
  const store = new ConversationStore({ logsFolder, maxMessages, fsync: false, isReading: true });
  let wrong = 0;
  for (const [conversationId, { stamp, conversation }] of cache.conversations) {
    signal.throwIfAborted();
    const file = await readStamp(`${store.path(conversationId)}/conversation.json`);
    // The next start detects that the file has changed.
    if (!isSameStamp(file, stamp)) continue;
    if ((await countIn(store, conversationId)) !== messagesIn(conversation)) wrong += 1;
  }
  const conversations = cache.conversations.size;
  if (wrong > 0) return { conversations, problem: `has wrong data for ${wrong} conversations` };
  return { conversations };
}

/** `undefined` if the file cannot be read; another check reports that. */
async function countIn(store: ConversationStore, id: string): Promise<number | undefined> {
  try {
    return (await store.peek(id))?.head.messageCount;
  } catch (error) {
    if (isAppError(error)) return undefined;
    throw error;
  }
}
