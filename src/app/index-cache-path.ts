/** Where the search index is cached: one file a logs folder, so that two roots never share an index. */
import { join } from 'node:path';
import { sha256Hex } from '../base/ids.js';
import type { Config } from '../config/config.js';

/** `undefined` where the index is built at every start. */
export function indexCachePath(
  { cacheFolder, indexCache, logsDir }: Config,
  ending = '.bin',
): string | undefined {
  if (!indexCache) return undefined;
  return join(cacheFolder, 'index', `${sha256Hex(logsDir).slice(0, 32)}${ending}`);
}
