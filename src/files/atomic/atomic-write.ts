/**
 * Replaces a file as a whole: write the bytes to a temporary file, check the size, fsync, rename, fsync
 * the folder. After a crash at any point the file has the old or the new bytes.
 *
 * The rename goes through the open folder of the target and never replaces a link (safe-access/). The
 * size check detects a full disk. This module takes no lock: file-lock.ts does that.
 */
import {
  type BigIntStats,
  closeSync,
  fchmodSync,
  fstatSync,
  fsync as fsyncFile,
  mkdirSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { basename, dirname } from 'node:path';
import { AppError, errnoOf, isAppError } from '../../base/errors.js';
import type { JsonObject } from '../../base/json-fields.js';
import {
  changedMeanwhileError,
  diskFullError,
  fileError,
  ignoreErrno,
  withFileError,
} from '../file-errors.js';
import { isInside } from '../paths/path-confinement.js';
import { FILE_MODE, FOLDER_MODE } from '../private-modes.js';
import { isSameStamp, type Stamp, stampOf } from '../read/stamp.js';
import { closeQuietly } from '../safe-access/close-quietly.js';
import { createAt, requireReplaceable } from '../safe-access/open-regular.js';
import { inFolder, type PinnedFolder, pinIn } from '../safe-access/pinned-folder.js';
import { toStored } from '../sealing/open-stores.js';
import { requirePresent } from '../store-presence.js';
import { renameWithRetry } from './rename-with-retry.js';
import { removeQuietly, temporaryName } from './staging.js';

const ALL_MODES = 0o7777;

export interface Durability {
  /** False skips every fsync (`DAYBOOK_FSYNC=0`): a crash of the machine may lose the latest writes. */
  readonly fsync: boolean;
}

const CLOSED = new Set(['EACCES', 'EPERM']);

export interface ReplaceOptions {
  /** The version that the new content was made from. `null`: the target must not exist. */
  readonly base?: Stamp | null | undefined;
  /** Called right after the rename, before the fsync of the folder. Must not throw. */
  readonly onReplaced?: (stamp: Stamp) => void;
}

/** The target is no longer the version that the new content was made from. */
export class StaleBaseError extends Error {}

/**
 * Replaces `target` with `bytes`. `stage` is the path of the temporary file, in the lock's own folder on
 * the same file system. When it resolves, bytes and name are on disk. Throws the system's own error
 * (ENOENT: the folder of `stage` or of `target` is missing), STORAGE_FULL if only a part could be written,
 * PATH_ESCAPE for a target that is a link, is reached through one or has a second name, and StaleBaseError
 * if `base` is given and an editor has saved another version since. Throws like `toStored`. If it fails
 * before the rename, the target is unchanged.
 */
export async function replaceThrough(
  stage: string,
  target: string,
  bytes: Uint8Array,
  durability: Durability,
  options: ReplaceOptions = {},
): Promise<Stamp> {
  const stored = toStored(target, bytes);
  const stamp = await writeAndSync(createAgain(stage), stored, target, durability);
  await putInPlace(stage, target, stamp, durability, options);
  return stamp;
}

/** Creates the temporary file. It first removes one that a failed step left under this lock. */
function createAgain(stage: string): number {
  try {
    return createAt(stage);
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
    rmSync(stage);
    return createAt(stage);
  }
}

/**
 * Writes `bytes` to the new file `file`, checks its size and mode, fsyncs and closes it. Errors name the file
 * `target`. STORAGE_FULL if only a part could be written, otherwise the system's own error.
 */
export async function writeAndSync(
  file: number,
  bytes: Uint8Array,
  target: string,
  { fsync }: Durability,
): Promise<Stamp> {
  let written: BigIntStats;
  try {
    // Into the page cache of the system, which is fast. fsync waits for the disk later, in the thread pool.
    for (let at = 0; at < bytes.byteLength; ) {
      const length = writeSync(file, bytes, at, bytes.byteLength - at);
      if (length === 0) break; // the size check notices it
      at += length;
    }
    written = fstatSync(file, { bigint: true });
    if (written.size !== BigInt(bytes.byteLength)) {
      throw diskFullError(target, written.size, bytes.byteLength);
    }
    if ((Number(written.mode) & ALL_MODES) !== FILE_MODE) fchmodSync(file, FILE_MODE); // undoes the umask
    if (fsync) await syncToDisk(file);
  } catch (error) {
    closeQuietly(file);
    throw error;
  }
  closeSync(file);
  return stampOf(written);
}

async function putInPlace(
  stage: string,
  target: string,
  stamp: Stamp,
  { fsync }: Durability,
  { base, onReplaced }: ReplaceOptions,
): Promise<void> {
  // The folder is opened before the rename: if no file handle is free, the old file is still there.
  await inFolder(dirname(target), async (folder) => {
    const name = basename(target);
    const there = requireReplaceable(folder, name, target);
    const isStale = base === null ? there !== undefined : base && !isSameStamp(there, base);
    if (isStale) throw new StaleBaseError();
    await renameWithRetry(stage, folder.at(name));
    const confirmed = fsync ? syncNames(folder) : undefined;
    onReplaced?.(stamp);
    await confirmed?.catch((error: unknown) => {
      throw unconfirmed(target, error);
    });
  });
}

/**
 * Renames the file at `from`, a path that the caller has checked, to `target`, which may be missing or a
 * regular file. Throws the system's own error, or PATH_ESCAPE like `replaceThrough`.
 */
export async function renameOnto(from: string, target: string): Promise<void> {
  await inFolder(dirname(target), async (folder) => {
    requireReplaceable(folder, basename(target), target);
    await renameWithRetry(from, folder.at(basename(target)));
  });
}

/** fsync in the thread pool. Throws the system's own error. */
export function syncToDisk(file: number): Promise<void> {
  return new Promise((resolve, reject) => {
    fsyncFile(file, (error) => (error === null ? resolve() : reject(error)));
  });
}

/**
 * Replaces a file that no other process of Daybook changes at the same time. When it resolves, bytes and
 * name are on disk. CONFLICT if `base` is given and another program has changed the target since.
 * STORAGE_FULL, PATH_ESCAPE, FILESYSTEM_ERROR.
 */
export async function atomicWrite(
  target: string,
  bytes: Uint8Array,
  durability: Durability,
  base?: Stamp,
): Promise<Stamp> {
  try {
    const stored = toStored(target, bytes);
    return await inFolder(dirname(target), async (folder) => {
      const name = temporaryName();
      const stage = folder.at(name);
      try {
        const stamp = await writeAndSync(createAt(stage), stored, target, durability);
        await putInPlace(stage, target, stamp, durability, { base });
        return stamp;
      } catch (error) {
        removeQuietly(stage);
        throw error;
      }
    });
  } catch (error) {
    if (error instanceof StaleBaseError) throw changedMeanwhileError(target, error);
    throw fileError(error, 'write', target);
  }
}

/**
 * Creates the folder and its missing parents (unless `makesParents` is false) with mode 0700, for any umask.
 * Returns false if it existed. Its name is durable when it resolves. PATH_ESCAPE if a part of the path is a
 * link; then nothing is created. FILESYSTEM_ERROR.
 */
export async function makeFolder(
  path: string,
  durability: Durability = { fsync: true },
  makesParents = true,
): Promise<boolean> {
  return withFileError('create', path, async () => {
    const first = await makeMissing(path, makesParents);
    // Also if the folder existed: the process that created it may have died before the fsync.
    for (let parent = dirname(path); ; parent = dirname(parent)) {
      await syncForeignFolder(parent, durability);
      if (first === undefined || !isInside(parent, first)) return first !== undefined;
    }
  });
}

/**
 * Returns the first folder that was made. Node's own recursive `mkdir` loops for ever in /proc, where a
 * folder exists and `mkdir` in it fails with ENOENT.
 */
async function makeMissing(path: string, makesParents: boolean): Promise<string | undefined> {
  if (await isFolder(path)) return undefined;
  requirePresent(path);
  const parent = dirname(path);
  const first = parent === path || !makesParents ? undefined : await makeMissing(parent, true);
  try {
    await inFolder(parent, (folder) => makeIn(folder, basename(path)));
  } catch (error) {
    if (errnoOf(error) === 'EEXIST' && (await isFolder(path))) return first;
    throw error;
  }
  return first ?? path;
}

/** Creates one folder with mode 0700, for any umask. Throws the system's own error, also EEXIST. */
export function makeIn(folder: PinnedFolder, name: string): void {
  makePinned(folder, name).close();
}

/** Like `makeIn`, and returns the new folder pinned. The caller closes it. */
export function makePinned(folder: PinnedFolder, name: string): PinnedFolder {
  mkdirSync(folder.at(name), { mode: FOLDER_MODE });
  const made = pinIn(folder, name);
  try {
    if (made.file !== undefined) fchmodSync(made.file, FOLDER_MODE);
    return made;
  } catch (error) {
    made.close();
    throw error;
  }
}

/** Whether the folder exists. PATH_ESCAPE for a link. */
const isFolder = async (path: string) =>
  (await ignoreErrno(
    ['ENOENT'],
    inFolder(path, () => true),
  )) ?? false;

/** Like `syncFolder`, but skips a folder of another user that we may not open. */
async function syncForeignFolder(path: string, durability: Durability): Promise<void> {
  try {
    await syncFolder(path, durability);
  } catch (error) {
    const isClosed = isAppError(error) && CLOSED.has(String(error.details?.['errno']));
    if (!isClosed) throw error;
  }
}

/** When it resolves, new and removed names in the folder are durable. FILESYSTEM_ERROR. */
export async function syncFolder(path: string, { fsync }: Durability): Promise<void> {
  await withFileError('sync', path, async () => {
    if (fsync) await inFolder(path, syncNames);
  });
}

/**
 * Like `syncFolder`, after a step that changed names in the folder. The error says that this step was done, and
 * has `details.unconfirmed` and the given details. `done`: the step, such as "/a/b was removed".
 */
export async function confirmNames(
  folder: string,
  done: string,
  durability: Durability,
  details: JsonObject = {},
): Promise<void> {
  await syncFolder(folder, durability).catch((cause: unknown) => {
    const errno = errnoOf(isAppError(cause) ? cause.cause : cause) ?? 'unknown';
    throw new AppError('FILESYSTEM_ERROR', `The disk did not confirm that ${done} (${errno}).`, {
      hint: 'It was done, but a power failure may undo it. Check the disk, and look at the present state before you repeat the call.',
      details: { ...details, path: folder, errno, unconfirmed: true },
      cause,
    });
  });
}

/**
 * Like `syncFolder`, for a pinned folder. Throws the system's own error. Windows cannot open a folder for
 * fsync; there the journal of NTFS makes renames durable.
 */
export async function syncNames({ file }: PinnedFolder): Promise<void> {
  try {
    if (file !== undefined) await syncToDisk(file);
  } catch (error) {
    // Some network and FUSE file systems have no fsync for folders.
    if (!['EINVAL', 'ENOTSUP', 'ENOSYS'].includes(errnoOf(error) ?? '')) throw error;
  }
}

/** The error if fsync fails after the rename: the disk may have the new or the old content. */
export function unconfirmed(path: string, cause: unknown): AppError {
  const errno = errnoOf(isAppError(cause) ? cause.cause : cause) ?? 'unknown';
  return new AppError(
    'FILESYSTEM_ERROR',
    `The disk did not confirm the new content of ${path} (${errno}).`,
    {
      hint: 'The file has the new content, but after a power failure it may have the old content. Check the disk, and read the file before you repeat the call.',
      details: { path, errno, unconfirmed: true },
      cause,
    },
  );
}
