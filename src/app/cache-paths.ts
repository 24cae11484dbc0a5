/**
 * Paths in the user's cache folder. The names have a hash of the logs folder, so that each root has its own
 * files, and so that an encrypted store finds them (`cacheName` in files/sealing/open-stores.ts).
 */
import { join } from 'node:path';
import { sha256Hex } from '../base/ids.js';
import type { Config } from '../config/config.js';

const INDEXES = { search: '.bin', recall: '.recall.bin', figures: '.figures.bin' };
/** The file `seen` is no index: it records that the root has conversations. */
const ENDINGS = { ...INDEXES, seen: '.seen' };

/** The beginning of the names of all files of this root. */
export const cacheNameOf = ({ logsDir }: Config): string => sha256Hex(logsDir).slice(0, 32);

const inIndexFolder = (config: Config, ending: string) =>
  join(config.cacheFolder, 'index', `${cacheNameOf(config)}${ending}`);

/** The path of a cached index; `undefined` if the indexes are built at every start. */
export const indexCachePath = (
  config: Config,
  name: keyof typeof ENDINGS = 'search',
): string | undefined => (config.indexCache ? inIndexFolder(config, ENDINGS[name]) : undefined);

/** The paths of all cached indexes, also if caching is switched off now: an earlier run may have made them. */
export const allIndexCaches = (config: Config): string[] =>
  Object.values(INDEXES).map((ending) => inIndexFolder(config, ending));

/** The folder of the vectors of a root; it has one folder for each model. */
export const vectorsFolder = (config: Config): string =>
  join(config.cacheFolder, 'vectors', cacheNameOf(config));
