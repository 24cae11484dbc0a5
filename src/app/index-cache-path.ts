/** Paths of cached indexes. The name has a hash of the logs folder, so that each root has its own file. */
import { join } from 'node:path';
import { sha256Hex } from '../base/ids.js';
import type { Config } from '../config/config.js';

/** `undefined` if the index is built at every start. */
export function indexCachePath(
  { cacheFolder, indexCache, logsDir }: Config,
  ending = '.bin',
): string | undefined {
  if (!indexCache) return undefined;
  return join(cacheFolder, 'index', `${sha256Hex(logsDir).slice(0, 32)}${ending}`);
}
