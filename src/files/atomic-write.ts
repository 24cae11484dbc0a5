/**
 * Replacing a file as a whole: staged beside the target, checked, synced, renamed, folder synced.
 * A crash at any point leaves the old or the new bytes.
 *
 * Outside a lock write-file-atomic writes the staging file; on its own it does not notice a short write
 * on a full disk, does not sync the folder and follows a symlink at the target. So the staged size is
 * checked here and the rename that counts is our own. Inside a lock the staging file is nobody else's,
 * and is written as it is (decision 0003). Locking is not done here (file-lock.ts).
 */
import {
  closeSync,
  fchmodSync,
  fstatSync,
  fsync as fsyncFile,
  openSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { chmod, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import { sleep } from '../base/clock.js';
import { AppError, errnoOf, isAppError } from '../base/errors.js';
import { randomHex } from '../base/ids.js';
import { fileError, reporting, unless } from './file-errors.js';
import { isInside } from './paths.js';
import { isSurelyDead, ownerName } from './process-identity.js';
import { isSameStamp, readStampNow, type Stamp, stampOf } from './stamp.js';

export const FILE_MODE = 0o600;
export const FOLDER_MODE = 0o700;

/** Then the writer's name and some random digits: `sweepTemporaries` reads whose it is. */
const TEMPORARY = '.tmp-';

export interface Durability {
  /** False leaves out every fsync (`DAYBOOK_FSYNC=0`): a crash of the machine may lose the latest writes. */
  readonly fsync: boolean;
}

/** Windows refuses a rename while a virus scanner or an indexer has the target open. */
const BUSY = new Set(['EPERM', 'EBUSY', 'EACCES']);
const CLOSED = new Set(['EACCES', 'EPERM']);
const RENAME_PAUSES_MS = [5, 10, 20, 40, 80, 160, 320];

/** Rename that waits out other programs' short holds on the target; throws the system's own error. */
export async function renameWithRetry(from: string, to: string): Promise<void> {
  for (const pauseMs of RENAME_PAUSES_MS) {
    try {
      return renameSync(from, to);
    } catch (error) {
      if (!BUSY.has(errnoOf(error) ?? '')) throw error;
      await sleep(pauseMs);
    }
  }
  return renameSync(from, to);
}

export interface ReplaceOptions {
  /** What the new content was made from. */
  readonly base?: Stamp | undefined;
  /** Called once the new content has the name, while the disk still confirms it. Must not throw. */
  readonly onReplaced?: (stamp: Stamp) => void;
}

/** The target is no longer the version that the new content was made from. */
export class Superseded extends Error {}

/**
 * Replaces `target` with `bytes` by way of `stage`, a path on the same file system.
 * When it resolves, bytes and name are on disk. Throws the system's own error for the caller to
 * judge (ENOENT means that the stage's folder or the target's folder is gone), or STORAGE_FULL
 * for a short write. The target is untouched by any failure before the rename. Where `base` is given
 * and the target is another version by then (an editor saved it, without our lock), Superseded.
 */
export async function replaceThrough(
  stage: string,
  target: string,
  bytes: Uint8Array,
  durability: Durability,
  options: ReplaceOptions = {},
): Promise<Stamp> {
  const file = openSync(stage, 'w', FILE_MODE);
  try {
    fchmodSync(file, FILE_MODE); // whatever the umask
    // Into the page cache, at memory speed; waiting for the disk is left to fsync, off this thread.
    for (let at = 0; at < bytes.byteLength; ) {
      const written = writeSync(file, bytes, at, bytes.byteLength - at);
      if (written === 0) break; // told by the size
      at += written;
    }
  } catch (error) {
    closeQuietly(file);
    throw error;
  }
  return putInPlace({ file, stage, sizeBytes: bytes.byteLength }, target, durability, options);
}

/** A staging file that was written, open. */
interface Staged {
  readonly file: number;
  readonly stage: string;
  readonly sizeBytes: number;
}

async function putInPlace(
  staged: Staged,
  target: string,
  durability: Durability,
  { base, onReplaced }: ReplaceOptions,
): Promise<Stamp> {
  const stamp = await checkAndSync(staged, target, durability);
  // Opened before the rename, so that a lack of file handles fails while the old file still stands.
  const folder = durability.fsync ? openFolder(dirname(target)) : undefined;
  try {
    if (base !== undefined && !isSameStamp(readStampNow(target), base)) throw new Superseded();
    await renameWithRetry(staged.stage, target);
    const confirmed = folder === undefined ? undefined : syncNames(folder);
    onReplaced?.(stamp);
    await confirmed?.catch((error: unknown) => {
      throw unconfirmed(target, error);
    });
    return stamp;
  } finally {
    if (folder !== undefined) closeQuietly(folder);
  }
}

/** For handles whose closing says nothing about the file: nothing was written, or it was confirmed. */
export function closeQuietly(file: number): void {
  try {
    closeSync(file);
  } catch {
    // Linux has freed the handle all the same.
  }
}

/** Waits for the disk off this thread; throws the system's own error. */
export function syncToDisk(file: number): Promise<void> {
  return new Promise((resolve, reject) => {
    fsyncFile(file, (error) => (error === null ? resolve() : reject(error)));
  });
}

/** Closes it as well. */
async function checkAndSync(
  { file, sizeBytes }: Staged,
  target: string,
  { fsync }: Durability,
): Promise<Stamp> {
  try {
    const staged = fstatSync(file, { bigint: true });
    if (staged.size !== BigInt(sizeBytes)) {
      throw new AppError(
        'STORAGE_FULL',
        `Only ${staged.size} of ${sizeBytes} bytes fitted on the disk for ${target}.`,
        { details: { path: target } },
      );
    }
    if (fsync) await syncToDisk(file);
    return stampOf(staged);
  } finally {
    closeSync(file);
  }
}

/**
 * Replaces one file that no other process of ours changes at the same time. Same durability as the
 * locked form. CONFLICT where `base` is given and the target is another version by then.
 */
export async function atomicWrite(
  target: string,
  bytes: Uint8Array,
  durability: Durability,
  base?: Stamp,
): Promise<Stamp> {
  const stage = join(dirname(target), `${TEMPORARY}${ownerName()}-${randomHex(4)}`);
  try {
    // A fresh options object each time: write-file-atomic writes into the one it is given.
    writeFileAtomic.sync(stage, asBuffer(bytes), { mode: FILE_MODE, fsync: false });
    const file = openSync(stage, 'r+'); // Windows syncs only what is open for writing
    return await putInPlace({ file, stage, sizeBytes: bytes.byteLength }, target, durability, {
      base,
    });
  } catch (error) {
    await rm(stage, { force: true }).catch(() => undefined); // swept at the next start otherwise
    if (error instanceof Superseded) {
      throw new AppError('CONFLICT', `Another program has just changed ${target}.`, {
        hint: 'Nothing of it was changed. Do the same again.',
        details: { path: target },
        cause: error,
      });
    }
    throw fileError(error, 'write', target);
  }
}

/** Removes the temporary files that dead processes left in the folder; those of live ones stay. */
export async function sweepTemporaries(folder: string): Promise<void> {
  await reporting('sweep', folder, async () => {
    for (const name of (await unless(['ENOENT'], readdir(folder))) ?? []) {
      if (!name.startsWith(TEMPORARY)) continue;
      const owner = name.slice(TEMPORARY.length, name.lastIndexOf('-'));
      if (isSurelyDead(owner)) await rm(join(folder, name), { force: true });
    }
  });
}

/**
 * Makes the folder with mode 0700 whatever the umask, and the missing ones above it; false where it
 * was there already. Its name is durable when it resolves.
 */
export async function makeFolder(
  path: string,
  durability: Durability = { fsync: true },
): Promise<boolean> {
  return reporting('create', path, async () => {
    const first = await makeMissing(path);
    if (first !== undefined) await chmod(path, FOLDER_MODE);
    // Also where it was there: the process that made it may have died before it was synced.
    for (let parent = dirname(path); ; parent = dirname(parent)) {
      await syncForeignFolder(parent, durability);
      if (first === undefined || !isInside(first, parent)) return first !== undefined;
    }
  });
}

/**
 * The first of those that were made. Node's own recursive form never ends where the system says of a
 * folder that it is there and that nothing can be made in it because it is not, as /proc does.
 */
async function makeMissing(path: string): Promise<string | undefined> {
  if (await isFolder(path)) return undefined;
  const parent = dirname(path);
  const first = parent === path ? undefined : await makeMissing(parent);
  try {
    await mkdir(path, { mode: FOLDER_MODE });
  } catch (error) {
    if (errnoOf(error) === 'EEXIST' && (await isFolder(path))) return first;
    throw error;
  }
  return first ?? path;
}

const isFolder = async (path: string) =>
  (await unless(['ENOENT'], stat(path)))?.isDirectory() ?? false;

/** A folder that is not ours may be closed to reading; its names cannot be synced then. */
async function syncForeignFolder(path: string, durability: Durability): Promise<void> {
  try {
    await syncFolder(path, durability);
  } catch (error) {
    const isClosed = isAppError(error) && CLOSED.has(String(error.details?.['errno']));
    if (!isClosed) throw error;
  }
}

/** Makes new names in the folder durable. FILESYSTEM_ERROR. */
export async function syncFolder(path: string, { fsync }: Durability): Promise<void> {
  await reporting('sync', path, async () => {
    const folder = fsync ? openFolder(path) : undefined;
    if (folder === undefined) return;
    try {
      await syncNames(folder);
    } finally {
      closeQuietly(folder);
    }
  });
}

/** Windows cannot open a folder for syncing; its renames are durable by themselves (NTFS journal). */
function openFolder(path: string): number | undefined {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if (process.platform === 'win32') return undefined;
    throw error;
  }
}

async function syncNames(folder: number): Promise<void> {
  try {
    await syncToDisk(folder);
  } catch (error) {
    // Some network and FUSE file systems have no fsync for folders.
    if (!['EINVAL', 'ENOTSUP', 'ENOSYS'].includes(errnoOf(error) ?? '')) throw error;
  }
}

/** Past the point of no return: says so plainly, and claims neither success nor failure. */
export function unconfirmed(path: string, cause: unknown): AppError {
  const errno = errnoOf(isAppError(cause) ? cause.cause : cause) ?? 'unknown';
  return new AppError(
    'FILESYSTEM_ERROR',
    `The disk did not confirm the new content of ${path} (${errno}).`,
    {
      hint: 'The file is whole and holds the new content, but a power cut may bring back the old one: read it before you repeat the call, and check the disk.',
      details: { path, errno, unconfirmed: true },
      cause,
    },
  );
}

/** The same memory as a Buffer: write-file-atomic counts `data.length`, which must be bytes. */
function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
