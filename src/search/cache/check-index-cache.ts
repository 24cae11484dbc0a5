/**
 * Checks the cache of the search index: its checksums, and for each conversation whose file is unchanged
 * whether the cache has the messages of that file. Changes nothing.
 */

import { countOf } from '../../base/display-text.js';
import { isAppError } from '../../base/errors.js';
import { silentLog } from '../../base/log.js';
import { isSameStamp, readStamp } from '../../files/read/stamp.js';
import type { ConversationStore } from '../../stores/conversations/conversations.js';
import {
  fingerprintOf,
  type IndexedConversation,
  MessageIndex,
} from '../messages/message-index.js';
import { type CachedFiles, storeOf } from './cached-files.js';
import { conversationsInCache, loadIndexCache } from './index-cache.js';

export interface CacheCheck {
  /** Number of conversations in the cache that can be used. */
  readonly conversations: number;
  /** Continues a sentence that begins with "The cache"; absent if there is no cache or it is correct. */
  readonly problem?: string;
}

/** Throws FILESYSTEM_ERROR, or the reason of the signal if it is aborted. */
export async function checkIndexCache(
  path: string,
  files: CachedFiles,
  signal: AbortSignal,
): Promise<CacheCheck> {
  if ((await readStamp(path)) === undefined) return { conversations: 0 };
  const total = await conversationsInCache({ path, log: silentLog });
  if (total === undefined) {
    return {
      conversations: 0,
      problem: 'cannot be used: it is damaged, or another version of Daybook wrote it',
    };
  }
  const store = storeOf(files);
  const index = new MessageIndex();
  await loadIndexCache({ path, index, store, log: silentLog });
  let conversations = 0;
  let wrong = 0;
  for (const { stamp, head } of store.known()) {
    signal.throwIfAborted();
    conversations += 1;
    const { conversationId } = head;
    const file = await readStamp(`${store.path(conversationId)}/conversation.json`);
    // The next start detects that the file has changed.
    if (!isSameStamp(file, stamp)) continue;
    const expected = await fingerprintsIn(store, conversationId);
    if (!isEqual(index.get(conversationId), expected)) wrong += 1;
  }
  const damaged = total - conversations;
  if (damaged > 0)
    return { conversations, problem: `has ${countOf(damaged, 'damaged conversation')}` };
  if (wrong > 0)
    return { conversations, problem: `has wrong data for ${countOf(wrong, 'conversation')}` };
  return { conversations };
}

/** Fingerprints of the file's messages; empty if the file cannot be read, which another check reports. */
async function fingerprintsIn(store: ConversationStore, id: string): Promise<number[]> {
  try {
    const { messages, titleFrom = '' } = await store.load(id);
    return messages.map((message) =>
      fingerprintOf(message, titleFrom === '' || titleFrom === message.id),
    );
  } catch (error) {
    if (isAppError(error)) return [];
    throw error;
  }
}

const isEqual = (indexed: IndexedConversation | undefined, expected: readonly number[]) =>
  indexed?.fingerprints.length === expected.length &&
  expected.every((fingerprint, at) => indexed.fingerprints[at] === fingerprint);
