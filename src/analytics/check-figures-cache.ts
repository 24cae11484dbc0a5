/**
 * Checks the cache of figures: it can be read, and for each conversation whose file is unchanged it has the
 * figures of that file. Changes nothing.
 */
import { isDeepStrictEqual } from 'node:util';
import { isAppError } from '../base/errors.js';
import { silentLog } from '../base/log.js';
import { isSameStamp, readStamp } from '../files/read/stamp.js';
import type { CacheCheck } from '../search/cache/check-index-cache.js';
import { ConversationStore } from '../stores/conversations/conversations.js';
import { loadFiguresCache } from './figures-cache.js';
import { figuresOf, type MessageFigures } from './message-figures.js';

/** Throws FILESYSTEM_ERROR, or the reason of the signal if it is aborted. */
export async function checkFiguresCache(
  path: string,
  logsFolder: string,
  signal: AbortSignal,
): Promise<CacheCheck> {
  if ((await readStamp(path)) === undefined) return { conversations: 0 };
  const cached = await loadFiguresCache({ path, log: silentLog });
  if (cached.size === 0) {
    return {
      conversations: 0,
      problem: 'cannot be used: it is damaged, or another version of Daybook wrote it',
    };
  }
  const maxMessages = Number.POSITIVE_INFINITY;
  const store = new ConversationStore({ logsFolder, maxMessages, fsync: false, isReading: true });
  let wrong = 0;
  for (const [conversationId, { stamp, messages }] of cached) {
    signal.throwIfAborted();
    const file = await readStamp(`${store.path(conversationId)}/conversation.json`);
    // The next start detects that the file has changed.
    if (!isSameStamp(file, stamp)) continue;
    const expected = await figuresIn(store, conversationId);
    if (expected !== undefined && !isDeepStrictEqual(messages, expected)) wrong += 1;
  }
  const conversations = cached.size;
  if (wrong > 0) return { conversations, problem: `has wrong data for ${wrong} conversations` };
  return { conversations };
}

/** `undefined` if the file cannot be read; another check reports that. */
async function figuresIn(
  store: ConversationStore,
  id: string,
): Promise<MessageFigures[] | undefined> {
  try {
    return (await store.load(id)).messages.map(figuresOf);
  } catch (error) {
    if (isAppError(error)) return undefined;
    throw error;
  }
}
