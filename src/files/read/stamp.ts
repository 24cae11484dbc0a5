/**
 * The identity of one version of a file. Every replace makes a new file, so device, inode, size and
 * modification time (ns) together show whether the content in memory is still the one on disk.
 */
import { lstatSync, type Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { errnoOf } from '../../base/errors.js';
import { fileError, ignoreErrno, withFileError } from './file-errors.js';

export interface Stamp {
  readonly dev: bigint;
  readonly ino: bigint;
  readonly size: bigint;
  readonly mtimeNs: bigint;
}

/** True if both identify the same content. `undefined` (no file) equals only `undefined`. */
export function isSameStamp(a: Stamp | undefined, b: Stamp | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.mtimeNs === b.mtimeNs && a.size === b.size && a.ino === b.ino && a.dev === b.dev;
}

/** True for two versions of one file: the inode is the same, the content may differ. */
export function isSameFile(a: Stamp, b: Stamp): boolean {
  return a.ino === b.ino && a.dev === b.dev;
}

const ABSENT = ['ENOENT', 'ENOTDIR'];

/** Reads the stamp; a link is not followed. `undefined` if there is nothing. FILESYSTEM_ERROR. */
export async function readStamp(path: string): Promise<Stamp | undefined> {
  return withFileError('inspect', path, async () => {
    const found = await ignoreErrno(ABSENT, lstat(path, { bigint: true }));
    return found && stampOf(found);
  });
}

/** The synchronous form for a busy path: ten times cheaper than the thread pool. */
export function readStampNow(path: string): Stamp | undefined {
  try {
    const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    return found && stampOf(found);
  } catch (error) {
    if (ABSENT.includes(errnoOf(error) ?? '')) return undefined;
    throw fileError(error, 'inspect', path);
  }
}

/** The resolution, in milliseconds, of Node's times that are doubles. */
const TICK_MS = 0.0005;

/**
 * Whether `found`, a result of `lstat` without big integers (half the cost), has this stamp. Times are
 * compared to half a microsecond, because no write is shorter. An inode beyond 2^53 is compared as the
 * nearest double.
 */
export function isStampOf(found: Stats | undefined, stamp: Stamp): boolean {
  return (
    found !== undefined &&
    Math.abs(found.mtimeMs - Number(stamp.mtimeNs) / 1e6) < TICK_MS &&
    found.size === Number(stamp.size) &&
    found.ino === Number(stamp.ino) &&
    found.dev === Number(stamp.dev)
  );
}

/** Whether the file exists with this stamp: for checks of thousands of files. FILESYSTEM_ERROR. */
export function hasStampNow(path: string, stamp: Stamp): boolean {
  try {
    return isStampOf(lstatSync(path, { throwIfNoEntry: false }), stamp);
  } catch (error) {
    if (ABSENT.includes(errnoOf(error) ?? '')) return false;
    throw fileError(error, 'inspect', path);
  }
}

export function stampOf({ dev, ino, size, mtimeNs }: Stamp): Stamp {
  return { dev, ino, size, mtimeNs };
}
