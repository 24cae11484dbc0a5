/**
 * Checks the cache of the recall index: whether it can be read, and whether it has all messages of each
 * conversation whose file is unchanged. Changes nothing.
 */
import { messagesIn } from '../../recall/conversation-terms.js';
import type { ConversationDocument } from '../../stores/conversations/document/document.js';
import { type CacheCheck, compareCache, type Expected } from './check-cache.js';
import { readRecallCache } from './recall-cache.js';

/** FILESYSTEM_ERROR. */
export const checkRecallCache = (path: string, expected: Expected): Promise<CacheCheck> =>
  compareCache(path, expected, async (onCached, log) => {
    let count = 0;
    const vocabulary = await readRecallCache({ path, log }, (id, cached) => {
      count += 1;
      onCached(id, { stamp: cached.stamp, digest: messagesIn(cached.conversation) });
    });
    return vocabulary && count;
  });

/** What the cache must have of a conversation. */
export const recallDigest = ({ head }: ConversationDocument): number => head.messageCount;
