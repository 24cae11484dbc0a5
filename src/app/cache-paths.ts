/**
 * Paths in the user's cache folder. The names have a hash of the logs folder, so that each root has its own
 * files, and so that an encrypted store finds them (`cacheName` in files/sealing/open-stores.ts).
 */
import { basename, isAbsolute, join } from 'node:path';
import { undefinedIfUnreadable } from '../base/errors.js';
import { sha256Hex } from '../base/ids.js';
import type { Config } from '../config/config.js';
import { listFiles, listFolders } from '../files/paths/folders.js';
import { readStamp } from '../files/read/stamp.js';
import { readStored, readWhole } from '../files/read/whole-file.js';

const INDEXES = {
  search: '.bin',
  recall: '.recall.bin',
  figures: '.figures.bin',
  imports: '.imports.bin',
};
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
export const allIndexCaches = (config: Config): Record<keyof typeof INDEXES, string> => ({
  search: inIndexFolder(config, INDEXES.search),
  recall: inIndexFolder(config, INDEXES.recall),
  figures: inIndexFolder(config, INDEXES.figures),
  imports: inIndexFolder(config, INDEXES.imports),
});

/** The folder of the vectors of a root; it has one folder for each model. */
export const vectorsFolder = (config: Config): string =>
  join(config.cacheFolder, 'vectors', cacheNameOf(config));

const ID = /\d{8}-\d{13}/g;
const CACHE_NAME = /^([0-9a-f]{32})\.(?:\w+\.)?bin$/;

export interface StrayCaches {
  /** Absolute paths. */
  readonly indexes: readonly string[];
  /** Folders. */
  readonly vectors: readonly string[];
}

/**
 * Caches that the store left when its folder was moved or copied. Their names have the hash of the other path, so
 * this root does not use, encrypt or remove them. Plain indexes are found by the ids in them. Vectors and encrypted
 * indexes show no ids: they are found beside such an index, or because the root that made them is not there any
 * more. Reads every cache of another path once. FILESYSTEM_ERROR if a folder cannot be listed.
 */
export async function strayCaches(config: Config): Promise<StrayCaches> {
  const { logsDir, cacheFolder } = config;
  const ids = new Set<string>();
  for (const folder of [logsDir, join(logsDir, '.trash')]) {
    for (const name of await listFolders(folder))
      for (const id of name.match(ID) ?? []) ids.add(id);
  }
  const folder = join(cacheFolder, 'index');
  const isRootGone = async (owner: string) => {
    const seen = await undefinedIfUnreadable(readWhole(join(folder, owner + ENDINGS.seen)));
    const root = seen?.bytes.toString().trim() ?? '';
    if (!isAbsolute(root)) return false;
    const isAbsent = readStamp(root).then((stamp) => stamp === undefined);
    return (await undefinedIfUnreadable(isAbsent)) ?? false;
  };
  const indexes: string[] = [];
  for (const name of await listFiles(folder)) {
    const owner = CACHE_NAME.exec(name)?.[1];
    if (owner === undefined || owner === cacheNameOf(config)) continue;
    const found = await undefinedIfUnreadable(readStored(join(folder, name)));
    const text = found?.bytes.toString('latin1') ?? '';
    if (hasOneOf(text, ids) ?? (await isRootGone(owner))) indexes.push(join(folder, name));
  }
  const owners = new Set(indexes.map((path) => basename(path).split('.')[0]));
  const vectors: string[] = [];
  for (const name of await listFolders(join(cacheFolder, 'vectors'))) {
    if (owners.has(name) || (await isRootGone(name)))
      vectors.push(join(cacheFolder, 'vectors', name));
  }
  return { indexes, vectors };
}

/** `undefined` if the text has no ids at all. */
function hasOneOf(text: string, ids: ReadonlySet<string>): boolean | undefined {
  let result: boolean | undefined;
  for (const [id] of text.matchAll(ID)) {
    if (ids.has(id)) return true;
    result = false;
  }
  return result;
}
