/**
 * Checks the cache of the recall index: it can be read, and each conversation whose file is still the one
 * that was indexed has as many messages as that file. Changes nothing.
 */
import { silentLog } from '../../base/log.js';
import { messagesIn } from '../../recall/conversation-terms.js';
import type { ConversationDocument } from '../../stores/conversations/document/document.js';
import { type CacheCheck, compareCache, type Expected } from './cache-check.js';
import { readRecallCache } from './recall-cache.js';

/** FILESYSTEM_ERROR. */
export const checkRecallCache = (path: string, expected: Expected): Promise<CacheCheck> =>
  compareCache(path, expected, async (onCached) => {
    let count = 0;
    const vocabulary = await readRecallCache({ path, log: silentLog }, (id, cached) => {
      count += 1;
      onCached(id, { stamp: cached.stamp, digest: messagesIn(cached.conversation) });
    });
    return vocabulary && count;
  });

/** What the cache must have of a conversation. */
export const recallDigest = ({ head }: ConversationDocument): number => head.messageCount;
