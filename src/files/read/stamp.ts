/**
 * Identifies one version of a file by device, inode, size and modification time (ns). Every replace creates
 * a new file, so equal stamps show that the content in memory is still the content on disk.
 */
import { lstatSync } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { errnoOf } from '../../base/errors.js';
import { ABSENT, fileError, ignoreErrno, withFileError } from '../file-errors.js';

export interface Stamp {
  readonly dev: bigint;
  readonly ino: bigint;
  readonly size: bigint;
  readonly mtimeNs: bigint;
}

/** The modification time in Unix milliseconds, rounded down. */
export const modifiedMs = ({ mtimeNs }: Stamp): number => Number(mtimeNs / 1_000_000n);

type FileId = Pick<Stamp, 'dev' | 'ino'>;

/** Whether both identify the same version. `undefined` (no file) is equal only to `undefined`. */
export function isSameStamp(a: Stamp | undefined, b: Stamp | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.mtimeNs === b.mtimeNs && a.size === b.size && a.ino === b.ino && a.dev === b.dev;
}

/** Whether both are of the same file (device and inode). Its content may differ. */
export function isSameFile(a: FileId, b: FileId): boolean {
  return a.ino === b.ino && a.dev === b.dev;
}

/** Whether both paths are names of one file. FILESYSTEM_ERROR. */
export function isOneFile(one: string, other: string): boolean {
  const [a, b] = [readStampNow(one), readStampNow(other)];
  return a !== undefined && b !== undefined && isSameFile(a, b);
}

/** Reads the stamp; a link is not followed. `undefined` if there is nothing. FILESYSTEM_ERROR. */
export async function readStamp(path: string): Promise<Stamp | undefined> {
  return withFileError('inspect', path, async () => {
    const found = await ignoreErrno(ABSENT, lstat(path, { bigint: true }));
    return found && stampOf(found);
  });
}

/** Like `readStamp`, synchronous: ten times faster than the thread pool, for frequent checks. */
export function readStampNow(path: string): Stamp | undefined {
  try {
    const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    return found && stampOf(found);
  } catch (error) {
    if (ABSENT.includes(errnoOf(error) ?? '')) return undefined;
    throw fileError(error, 'inspect', path);
  }
}

/** The resolution of Node's file times that are doubles, in milliseconds. */
const TICK_MS = 0.0005;

/**
 * Whether the file certainly has this stamp; false if it cannot be inspected. Synchronous and without big integers,
 * which costs half as much as `readStampNow`, for thousands of files. Times may differ by half a microsecond,
 * because two writes are never so close. An inode above 2^53 is compared as the nearest double.
 */
export function hasStampNow(path: string, stamp: Stamp): boolean {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    return (
      found !== undefined &&
      Math.abs(found.mtimeMs - Number(stamp.mtimeNs) / 1e6) < TICK_MS &&
      found.size === Number(stamp.size) &&
      found.ino === Number(stamp.ino) &&
      found.dev === Number(stamp.dev)
    );
  } catch {
    return false; // a read gives the reason
  }
}

export function stampOf({ dev, ino, size, mtimeNs }: Stamp): Stamp {
  return { dev, ino, size, mtimeNs };
}
