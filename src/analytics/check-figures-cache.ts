/**
 * Checks the cache of figures: it can be read, and for each conversation whose file is unchanged it has the
 * figures of that file. Changes nothing.
 */
import { isDeepStrictEqual } from 'node:util';
import { silentLog } from '../base/log.js';
import type { CachedFiles } from '../search/cache/cached-files.js';
import { checkCachedConversations } from '../search/cache/check-cached-conversations.js';
import type { CacheCheck } from '../search/cache/check-index-cache.js';
import { loadFiguresCache } from './figures-cache.js';
import { figuresOf } from './message-figures.js';

/** FILESYSTEM_ERROR; the signal's reason if it is aborted. */
export const checkFiguresCache = (
  path: string,
  files: CachedFiles,
  signal: AbortSignal,
): Promise<CacheCheck> =>
  checkCachedConversations(
    { path, signal, ...files },
    async () => {
      const cached = await loadFiguresCache({ path, log: silentLog });
      return cached.size === 0 ? undefined : cached;
    },
    async (store, id, { messages }) =>
      isDeepStrictEqual(messages, (await store.load(id)).messages.map(figuresOf)),
  );
