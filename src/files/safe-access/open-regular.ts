/**
 * Opens the files in Daybook's folders. No other module opens them (test/architecture.test.ts checks this).
 * No part of the path may be a link. Opening never waits, as it would for a pipe. Anything that is not a
 * regular file is refused before a byte is read or written.
 */
import {
  type BigIntStats,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  writeSync,
} from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { errnoOf } from '../../base/errors.js';
import { FILE_MODE } from '../private-modes.js';
import { closeQuietly } from './close-quietly.js';
import { MAX_TRIES, type PinnedFolder, pinFolder } from './pinned-folder.js';
import { isAtPath } from './real-path.js';
import { hardLinkError, notRegularFileError, symlinkError } from './refusal-errors.js';

const { O_RDONLY, O_WRONLY, O_APPEND, O_CREAT, O_EXCL } = constants;
const { O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
const NEW = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;
const COPY_BYTES = 256 * 1024;

/** An open regular file. The caller closes it. */
export interface OpenedFile {
  readonly number: number;
  /** The result of `fstat` after the file was opened. */
  readonly stats: BigIntStats;
}

/** PATH_ESCAPE, FILESYSTEM_ERROR (not a regular file), or the system's own error. */
export function openToRead(path: string): OpenedFile {
  for (let attempt = 1; ; attempt += 1) {
    const number = openOr(path, () => openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
    const opened = whileOpen(number, () => {
      const stats = fstatSync(number, { bigint: true });
      if (!stats.isFile()) throw notRegularFileError(path, stats);
      return isAtPath(number, path) ? { number, stats } : undefined;
    });
    if (opened !== undefined) return opened;
    closeQuietly(number);
    if (attempt === MAX_TRIES) throw symlinkError(path);
  }
}

/** Like `openToRead`, but opens the file in the thread pool. */
export async function openHandle(path: string): Promise<FileHandle> {
  for (let attempt = 1; ; attempt += 1) {
    const handle = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch((error: unknown) => {
      throw refusalOf(error, path);
    });
    try {
      const stats = fstatSync(handle.fd, { bigint: true });
      if (!stats.isFile()) throw notRegularFileError(path, stats);
      if (isAtPath(handle.fd, path)) return handle;
      if (attempt === MAX_TRIES) throw symlinkError(path);
    } catch (error) {
      await closeUnused(handle);
      throw error;
    }
    await closeUnused(handle);
  }
}

/** An error is ignored, because nothing was read or written. */
const closeUnused = (handle: FileHandle) => handle.close().catch(() => undefined);

/**
 * Opens a file for appending, and creates it with mode 0600 if it is missing. Throws like `openToRead`, and
 * PATH_ESCAPE for a file that has another name (hard link) in another folder.
 */
export function openToAppend(path: string): OpenedFile {
  const folder = pinFolder(dirname(path));
  try {
    const [at, flags] = [folder.at(basename(path)), O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK];
    const isNew = lstatSync(at, { throwIfNoEntry: false }) === undefined;
    const number = openOr(path, () => openSync(at, flags | O_CREAT, FILE_MODE));
    return whileOpen(number, () => {
      const stats = fstatSync(number, { bigint: true });
      requireOwn(folder, basename(path), stats, path);
      if (isNew) fchmodSync(number, FILE_MODE); // undoes the umask
      return { number, stats };
    });
  } finally {
    folder.close();
  }
}

/**
 * Creates a file for writing, at a path that no link can redirect: in a pinned folder, or in our own folder of a
 * lock. EEXIST if the name exists, also as a link. The umask may reduce its mode 0600; the callers in `atomic/`
 * set it again.
 */
export function createAt(path: string): number {
  return openSync(path, NEW, FILE_MODE);
}

/** Like `createAt`, but opens the file in the thread pool, and its mode is exactly 0600. */
export async function createHandleIn(folder: PinnedFolder, name: string): Promise<FileHandle> {
  const handle = await open(folder.at(name), NEW, FILE_MODE);
  try {
    fchmodSync(handle.fd, FILE_MODE);
    return handle;
  } catch (error) {
    await closeUnused(handle);
    throw error;
  }
}

/**
 * Copies a file to the new file `to`, a path as for `createAt`. Not durable. Throws like `openToRead`, also
 * if a link replaces the source meanwhile.
 */
export function copyRegular(from: string, to: string): void {
  const source = openToRead(from);
  try {
    const target = createAt(to);
    try {
      fchmodSync(target, FILE_MODE); // undoes the umask
      const buffer = Buffer.allocUnsafe(COPY_BYTES);
      for (let length = 1; length > 0; ) {
        length = readSync(source.number, buffer);
        for (let done = 0; done < length; ) done += writeSync(target, buffer, done, length - done);
      }
    } finally {
      closeQuietly(target);
    }
  } finally {
    closeQuietly(source.number);
  }
}

/**
 * Call it before a rename onto `name`, which would silently replace a link or a pipe. Returns the stats of
 * the existing file; `undefined` if there is none. Throws like `openToAppend`. Errors contain `path`.
 */
export function requireReplaceable(
  folder: PinnedFolder,
  name: string,
  path: string,
): BigIntStats | undefined {
  const stats = lstatSync(folder.at(name), { bigint: true, throwIfNoEntry: false });
  if (stats !== undefined) requireOwn(folder, name, stats, path);
  return stats;
}

/**
 * Throws unless it is a regular file with all its names in the folder. A crash may leave a second name there.
 */
function requireOwn(folder: PinnedFolder, name: string, stats: BigIntStats, path: string): void {
  if (!stats.isFile()) throw notRegularFileError(path, stats);
  if (stats.nlink <= 1n) return;
  let own = 0n;
  for (const each of readdirSync(folder.path)) {
    const found = lstatSync(folder.at(each), { bigint: true, throwIfNoEntry: false });
    if (found?.ino === stats.ino && found.dev === stats.dev) own += 1n;
  }
  // The number of names is read again, because a name may have been removed meanwhile.
  const now = lstatSync(folder.at(name), { bigint: true, throwIfNoEntry: false });
  if (own < (now?.nlink ?? stats.nlink)) throw hardLinkError(path);
}

/** Closes the file if `work` throws. */
function whileOpen<T>(number: number, work: () => T): T {
  try {
    return work();
  } catch (error) {
    closeQuietly(number);
    throw error;
  }
}

function openOr(path: string, openIt: () => number): number {
  try {
    return openIt();
  } catch (error) {
    throw refusalOf(error, path);
  }
}

/** Replaces the errors of `open` for a link, a folder, and a socket or a pipe without a reader. */
function refusalOf(error: unknown, path: string): unknown {
  const errno = errnoOf(error);
  if (errno !== 'ELOOP' && errno !== 'ENXIO' && errno !== 'EISDIR') return error;
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats === undefined || stats.isFile()
    ? symlinkError(path)
    : notRegularFileError(path, stats);
}
