/**
 * Checks of a root before something is created in it. A folder of another store is refused. A server may not
 * always create a root that is missing: if the root had conversations before, or if its
 * parent folder is missing, the drive is probably not connected or the path is wrong. Then nothing is created,
 * because the user would otherwise have two stores.
 */
import { basename, dirname, join } from 'node:path';
import { AppError } from '../base/errors.js';
import type { Log } from '../base/log.js';
import type { Config } from '../config/config.js';
import { atomicWrite, makeFolder } from '../files/atomic/atomic-write.js';
import { listFolders } from '../files/paths/folders.js';
import { readStampNow } from '../files/read/stamp.js';
import { CONVERSATION_ID } from '../stores/conversations/document/conversation-id.js';
import { indexCachePath } from './cache-paths.js';

/** Throws STORAGE_UNAVAILABLE, or FILESYSTEM_ERROR if the folder cannot be inspected. */
export function requireRootAtStart(config: Config): void {
  const { root, logsDir, rootSource } = config;
  if (readStampNow(logsDir) !== undefined) return;
  if (readStampNow(dirname(root)) === undefined) throw away(config, `${dirname(root)} is missing`);
  if (rootSource === 'registered') throw away(config, 'its registered folder is missing');
  const seen = markOf(config);
  if (seen !== undefined && readStampNow(seen) !== undefined) {
    throw away(config, `it had conversations before, but ${logsDir} is missing`);
  }
}

const PARTS = ['conversation-logs', 'memory-bank'];

/**
 * Throws VALIDATION_ERROR if the root is the folder of conversations or of notes of another root, in which
 * an empty store would be created. FILESYSTEM_ERROR.
 */
export async function requireWholeRoot({ root }: Pick<Config, 'root'>): Promise<void> {
  const parent = dirname(root);
  if (!PARTS.includes(basename(root)) || PARTS.some((part) => exists(join(root, part)))) return;
  const isOfStore = PARTS.every((part) => exists(join(parent, part)));
  if (!isOfStore && !(await listFolders(root)).some((name) => CONVERSATION_ID.test(name))) return;
  throw new AppError('VALIDATION_ERROR', `${root} is a folder of the store ${parent}.`, {
    hint: `Nothing was created. Use ${parent} as the root.`,
    details: { path: root, root: parent },
  });
}

const exists = (path: string): boolean => readStampNow(path) !== undefined;

/** Records in the cache folder that this root has conversations. */
export async function rememberRoot(config: Config, log: Log): Promise<void> {
  const seen = markOf(config);
  if (seen === undefined || readStampNow(seen) !== undefined) return;
  try {
    const folders = await listFolders(config.logsDir);
    if (!folders.some((name) => CONVERSATION_ID.test(name))) return;
    await makeFolder(dirname(seen), { fsync: false });
    await atomicWrite(seen, Buffer.from(`${config.root}\n`), { fsync: false });
  } catch (error) {
    log.debug(
      { err: error },
      'could not record in the cache folder that this root has conversations',
    );
  }
}

/** The path of this record; `undefined` if the cache is off. */
const markOf = (config: Config) => indexCachePath(config, 'seen');

function away({ root, rootSource, logsDir }: Config, reason: string): AppError {
  return new AppError('STORAGE_UNAVAILABLE', `The store at ${root} is not available: ${reason}.`, {
    hint: `Nothing was created. Connect the drive, or correct the path (source of the path: ${rootSource}). The next call checks again. If the folder was moved, the user runs: daybook init NEW-FOLDER --replace. To start a new store there, the user runs: daybook init ${root}`,
    details: { path: root, rootSource, logsDir, reason },
  });
}
