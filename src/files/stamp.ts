/**
 * The identity of one version of a file. Every replace makes a new file, so device, inode, size and
 * modification time (ns) together tell whether what is in memory is still what is on disk.
 */
import { type Stats, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { errnoOf } from '../base/errors.js';
import { fileError, reporting, unless } from './file-errors.js';

export interface Stamp {
  readonly dev: bigint;
  readonly ino: bigint;
  readonly size: bigint;
  readonly mtimeNs: bigint;
}

/** True when both stand for the same content; a file that is not there (`undefined`) equals only itself. */
export function isSameStamp(a: Stamp | undefined, b: Stamp | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.mtimeNs === b.mtimeNs && a.size === b.size && a.ino === b.ino && a.dev === b.dev;
}

/** True for two versions of one file: the same inode, whatever was written to it in between. */
export function isSameFile(a: Stamp, b: Stamp): boolean {
  return a.ino === b.ino && a.dev === b.dev;
}

const ABSENT = ['ENOENT', 'ENOTDIR'];

/** `undefined` where there is no such file. FILESYSTEM_ERROR. */
export async function readStamp(path: string): Promise<Stamp | undefined> {
  return reporting('look at', path, async () => {
    const found = await unless(ABSENT, stat(path, { bigint: true }));
    return found && stampOf(found);
  });
}

/** The same for one file on a busy path: ten times cheaper than a trip through the thread pool. */
export function readStampNow(path: string): Stamp | undefined {
  try {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false });
    return found && stampOf(found);
  } catch (error) {
    if (ABSENT.includes(errnoOf(error) ?? '')) return undefined;
    throw fileError(error, 'look at', path);
  }
}

/** Milliseconds that Node's plain times, which are doubles, tell apart. */
const TICK_MS = 0.0005;

/**
 * Whether what Node says of a file without big integers, at half the price, is this stamp. Times are
 * compared to half a microsecond, which no write is shorter than, and an inode beyond 2^53 as the
 * double next to it.
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

/** Whether the file is there with this stamp: for looking at thousands of files. FILESYSTEM_ERROR. */
export function hasStampNow(path: string, stamp: Stamp): boolean {
  try {
    return isStampOf(statSync(path, { throwIfNoEntry: false }), stamp);
  } catch (error) {
    if (ABSENT.includes(errnoOf(error) ?? '')) return false;
    throw fileError(error, 'look at', path);
  }
}

export function stampOf({ dev, ino, size, mtimeNs }: Stamp): Stamp {
  return { dev, ino, size, mtimeNs };
}
