/**
 * Checks the cache of the search index: its checksums, and for each conversation whose file is unchanged
 * whether the cache has the messages of that file. Changes nothing.
 */
import { silentLog } from '../../base/log.js';
import type { ConversationDocument } from '../../stores/conversations/document/document.js';
import { fingerprintOf } from '../messages/message-index.js';
import { type CacheCheck, compareCache, digestOf, type Expected } from './check-cache.js';
import { readIndexCache } from './index-cache.js';

/** FILESYSTEM_ERROR. */
export const checkIndexCache = (path: string, expected: Expected): Promise<CacheCheck> =>
  compareCache(path, expected, (onCached) =>
    readIndexCache({ path, log: silentLog }, ({ stamp, head, fingerprints }) => {
      onCached(head.conversationId, { stamp, digest: digestOf(head.messageCount, fingerprints) });
    }),
  );

/** What the cache must have of a conversation. */
export function indexDigest(document: ConversationDocument): number {
  const { titleFrom = '', messageCount } = document.head;
  const fingerprints = new Float64Array(messageCount);
  for (let at = 0; at < messageCount; at += 1) {
    const message = document.message(at + 1);
    if (message === undefined) continue;
    fingerprints[at] = fingerprintOf(message, titleFrom === '' || titleFrom === message.id);
  }
  return digestOf(messageCount, fingerprints);
}
