/** Compares what a cache has of each conversation with the files. Changes nothing. */

import { countOf } from '../../base/display-text.js';
import { isAppError } from '../../base/errors.js';
import { isSameStamp, readStamp, type Stamp } from '../../files/read/stamp.js';
import type { ConversationStore } from '../../stores/conversations/conversations.js';
import { type CachedFiles, storeOf } from './cached-files.js';
import type { CacheCheck } from './check-index-cache.js';

/** A cache that can be read, by the ids of its conversations. */
export type CachedConversations<Cached> = ReadonlyMap<string, Cached>;

/**
 * Checks the cache at `path`. `load` returns nothing if the cache cannot be used. `isRight` is asked for each
 * conversation whose file is still the one that was cached; conversations that cannot be read are passed over,
 * because another check finds them. FILESYSTEM_ERROR; the signal's reason if it is aborted.
 */
export async function checkCachedConversations<Cached extends { readonly stamp: Stamp }>(
  { path, signal, ...files }: { path: string; signal: AbortSignal } & CachedFiles,
  load: () => Promise<CachedConversations<Cached> | undefined>,
  isRight: (store: ConversationStore, id: string, cached: Cached) => Promise<boolean>,
): Promise<CacheCheck> {
  if ((await readStamp(path)) === undefined) return { conversations: 0 };
  const cached = await load();
  if (cached === undefined) {
    return {
      conversations: 0,
      problem: 'cannot be used: it is damaged, or another version of Daybook wrote it',
    };
  }
  const store = storeOf(files);
  let wrong = 0;
  for (const [id, entry] of cached) {
    signal.throwIfAborted();
    // Changed since then: the next start detects it.
    if (!isSameStamp(await readStamp(`${store.path(id)}/conversation.json`), entry.stamp)) continue;
    const isWrong = await isRight(store, id, entry).then((right) => !right, passOver);
    if (isWrong) wrong += 1;
  }
  const conversations = cached.size;
  if (wrong > 0)
    return { conversations, problem: `has wrong data for ${countOf(wrong, 'conversation')}` };
  return { conversations };
}

function passOver(error: unknown): false {
  if (isAppError(error)) return false;
  throw error;
}
