/** Writes the cache of a message index, as a process does when a save is due. */
import { writeCache } from '../../src/search/cache/cache-file.js';
import { type IndexCacheOptions, indexChunks } from '../../src/search/cache/index-cache.js';

export const saveIndexCache = (options: IndexCacheOptions): Promise<boolean> =>
  writeCache(options, indexChunks(options));
