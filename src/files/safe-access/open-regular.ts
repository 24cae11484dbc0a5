/**
 * Opens the files below Daybook's folders. No other module opens one;
 * test/architecture.test.ts checks this. Links are not followed, neither in the last part nor on the
 * way; opening never waits (a pipe would, for ever); and anything that is not a regular file is refused before a
 * byte is read or written.
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
import { closeQuietly } from './close-quietly.js';
import { MAX_TRIES, type PinnedFolder, pinFolder } from './pinned-folder.js';
import { isAtPath } from './real-path.js';
import { hardLinkError, notRegularFileError, symlinkError } from './refusals.js';

const { O_RDONLY, O_WRONLY, O_APPEND, O_CREAT, O_EXCL } = constants;
const { O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
const NEW = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;
const FILE_MODE = 0o600;
const COPY_BYTES = 256 * 1024;

/** A regular file; the caller closes it. */
export interface OpenedFile {
  readonly number: number;
  /** As it was when it was opened. */
  readonly stats: BigIntStats;
}

/** For reading. PATH_ESCAPE, FILESYSTEM_ERROR (no regular file), else the system's own error. */
export function openToRead(path: string): OpenedFile {
  for (let attempt = 1; ; attempt += 1) {
    const number = openOr(path, () => openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
    const opened = checked(number, path);
    if (opened !== undefined) return opened;
    if (attempt === MAX_TRIES) throw symlinkError(path);
  }
}

/** The same, away from this thread. */
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
      await giveUp(handle);
      throw error;
    }
    await giveUp(handle);
  }
}

/** Nothing was read or written. */
const giveUp = (handle: FileHandle) => handle.close().catch(() => undefined);

/**
 * For adding at the end; made with mode 0600 where it is missing. Throws like `openToRead`, and
 * PATH_ESCAPE for a file that has a second name elsewhere.
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
      if (isNew) fchmodSync(number, FILE_MODE); // whatever the umask
      return { number, stats };
    });
  } finally {
    folder.close();
  }
}

/**
 * A new file in the folder; EEXIST where the name is taken, also by a link. Its mode is 0600 without what the
 * umask takes away: `atomic/` sets it to 0600 before the file gets its name.
 */
export function createIn(folder: PinnedFolder, name: string): number {
  return createAt(folder.at(name));
}

/** The same, away from this thread. */
export async function createHandleIn(folder: PinnedFolder, name: string): Promise<FileHandle> {
  const handle = await open(folder.at(name), NEW, FILE_MODE);
  try {
    fchmodSync(handle.fd, FILE_MODE);
    return handle;
  } catch (error) {
    await giveUp(handle);
    throw error;
  }
}

/** The same for a place that is safe by itself: in a pinned folder, or in our own folder of a lock. */
export function createAt(path: string): number {
  return openSync(path, NEW, FILE_MODE);
}

/**
 * Copies a file to the new file `to`, which is as safe a place as that of `createAt`. Throws like
 * `openToRead`: a link that takes the name of the source meanwhile is not followed.
 */
export function copyRegular(from: string, to: string): void {
  const source = openToRead(from);
  try {
    const target = createAt(to);
    try {
      fchmodSync(target, FILE_MODE); // whatever the umask
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
 * What has the name that is to be replaced, `undefined` where nothing has. Throws as for appending:
 * a rename would silently take the place of a link or a pipe. `path` is shown.
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

/** A regular file, all of whose names lie in the folder (a crash may leave it a second one there). */
function requireOwn(folder: PinnedFolder, name: string, stats: BigIntStats, path: string): void {
  if (!stats.isFile()) throw notRegularFileError(path, stats);
  if (stats.nlink <= 1n) return;
  let own = 0n;
  for (const each of readdirSync(folder.path)) {
    const found = lstatSync(folder.at(each), { bigint: true, throwIfNoEntry: false });
    if (found?.ino === stats.ino && found.dev === stats.dev) own += 1n;
  }
  // Checked again: a name that was removed meanwhile does not count.
  const now = lstatSync(folder.at(name), { bigint: true, throwIfNoEntry: false });
  if (own < (now?.nlink ?? stats.nlink)) throw hardLinkError(path);
}

/** `undefined` where it does not lie at its path: then it is closed again. */
function checked(number: number, path: string): OpenedFile | undefined {
  let isKept = false;
  try {
    const stats = fstatSync(number, { bigint: true });
    if (!stats.isFile()) throw notRegularFileError(path, stats);
    isKept = isAtPath(number, path);
    return isKept ? { number, stats } : undefined;
  } finally {
    if (!isKept) closeQuietly(number);
  }
}

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

/** What `open` answers for a link, and for a socket or a pipe without a reader. */
function refusalOf(error: unknown, path: string): unknown {
  const errno = errnoOf(error);
  if (errno !== 'ELOOP' && errno !== 'ENXIO' && errno !== 'EISDIR') return error;
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats === undefined || stats.isFile()
    ? symlinkError(path)
    : notRegularFileError(path, stats);
}
