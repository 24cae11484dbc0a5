/**
 * The cache file of an index: chunks in a file of the user's cache folder, which may be missing, stale or
 * damaged at any time. Failures of reading and writing are logged and never fail a start or a search. Only
 * one process writes at a time. The caller defines the content of the chunks.
 */
import { dirname } from 'node:path';
import type { Log } from '../../base/log.js';
import { readChunks, writeChunks } from '../../files/atomic/chunked-file.js';
import { sweepTemporaries } from '../../files/atomic/staging.js';
import { tryLease } from '../../files/locks/lease.js';
import { removeFile } from '../../files/paths/folders.js';
import type { Stamp } from '../../files/read/stamp.js';

export interface CacheFile {
  readonly path: string;
  readonly log: Log;
}

/** For the log. */
export const DAMAGED_PART =
  'a part of the cache is damaged; its conversations are read from the files';

/** Passes the chunks to `restore`, which must check each of them. Never throws. */
export async function readCache(
  { path, log }: CacheFile,
  restore: (chunks: AsyncGenerator<Buffer, undefined>) => Promise<void>,
): Promise<void> {
  try {
    const chunks = readChunks(path);
    try {
      await restore(chunks);
    } finally {
      await chunks.return(undefined);
    }
  } catch (error) {
    log.warn(
      { err: error, path },
      'the cache could not be used; its content is made from the files',
    );
  }
}

/**
 * Replaces the file, and removes temporary files that a killed process has left. Returns false if another
 * process is writing it, or if writing failed, which is logged. Never throws.
 */
export async function writeCache(
  { path, log }: CacheFile,
  chunks: Iterable<Uint8Array>,
): Promise<boolean> {
  try {
    const lease = await tryLease(path);
    if (lease === undefined) return false;
    try {
      await sweepTemporaries(dirname(path));
      await writeChunks(path, chunks);
      return true;
    } finally {
      await lease.release();
    }
  } catch (error) {
    log.warn({ err: error, path }, 'the cache could not be written');
    return false;
  }
}

/**
 * Removes the cache of an index that has become too small for one, so that deleted messages do not stay on
 * disk. Returns false if that failed, which is logged. Never throws.
 */
export async function removeCache({ path, log }: CacheFile): Promise<boolean> {
  try {
    await removeFile(path);
    return true;
  } catch (error) {
    log.warn({ err: error, path }, 'the index cache could not be removed');
    return false;
  }
}

/** A stamp is stored as dev, ino, size and mtimeNs. */
const NUMBERS_PER_STAMP = 4;

export const stampNumbers = (stamps: readonly Stamp[]): BigUint64Array =>
  BigUint64Array.from(stamps.flatMap(({ dev, ino, size, mtimeNs }) => [dev, ino, size, mtimeNs]));

/** The stamp at index `position` of the numbers from `stampNumbers`. */
export function stampAt(numbers: BigUint64Array, position: number): Stamp {
  const at = NUMBERS_PER_STAMP * position;
  return {
    dev: numbers[at] ?? 0n,
    ino: numbers[at + 1] ?? 0n,
    size: numbers[at + 2] ?? 0n,
    mtimeNs: numbers[at + 3] ?? 0n,
  };
}
