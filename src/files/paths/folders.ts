/**
 * Lists, moves and removes folders and files. Stores use it instead of node:fs.
 */
import { type Dirent, lstatSync, rmdirSync, unlinkSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { AppError, errnoOf } from '../../base/errors.js';
import {
  type Durability,
  makeFolder,
  makeIn,
  renameWithRetry,
  syncFolder,
} from '../atomic/atomic-write.js';
import { temporaryName } from '../atomic/staging.js';
import { fileError, ignoreErrno, withFileError } from '../read/file-errors.js';
import { inFolder } from '../safe-access/pinned-folder.js';
import { removeTree } from '../safe-access/remove-tree.js';

/**
 * The entries of the folder; links are not followed. An empty list if the system answers with an errno
 * of `absent`. PATH_ESCAPE if the folder is a link, FILESYSTEM_ERROR.
 */
export async function entriesOf(path: string, absent = ['ENOENT']): Promise<Dirent[]> {
  return withFileError('list', path, async () => {
    const listed = inFolder(path, (folder) => readdir(folder.path, { withFileTypes: true }));
    return (await ignoreErrno(absent, listed)) ?? [];
  });
}

/** Names of the sub-folders; an empty list if the folder is missing. Links are not followed. */
export async function listFolders(path: string): Promise<string[]> {
  const entries = await entriesOf(path);
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

/** Names of the files in a folder; an empty list if the folder is missing. */
export async function listFiles(path: string): Promise<string[]> {
  const entries = await entriesOf(path);
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

/** Creates the folder and so claims its name: true for exactly one caller, also across processes. */
export async function claimFolder(path: string): Promise<boolean> {
  try {
    await inFolder(dirname(path), (folder) => makeIn(folder, basename(path)));
    return true;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    throw fileError(error, 'create', path);
  }
}

/** Removes the folder if it is empty; true if it no longer exists. Never removes content. */
export async function removeEmptyFolder(path: string): Promise<boolean> {
  try {
    await inFolder(dirname(path), (folder) => rmdirSync(folder.at(basename(path))));
    return true;
  } catch (error) {
    return errnoOf(error) === 'ENOENT';
  }
}

/** Removes the folders above `path`, up to `folder`, that are empty now. Git keeps no empty folders either. */
export async function removeEmptyParents(path: string, folder: string): Promise<void> {
  for (let parent = dirname(path); parent !== folder; parent = dirname(parent)) {
    if (!(await removeEmptyFolder(parent))) return;
  }
}

/**
 * Moves a file, or a folder with its content, by one rename, durable when it resolves. `taken`: `to`
 * exists and is not an empty folder; a file is moved onto a file that is there. `absent`: there is no
 * `from`. Both must be on one file system, and the parent folder of `to` must exist.
 */
export async function moveByRename(
  from: string,
  to: string,
  durability: Durability,
): Promise<'moved' | 'taken' | 'absent'> {
  try {
    // Windows does not rename onto a folder, not even an empty one.
    if (process.platform === 'win32') await removeEmptyFolder(to);
    await renameBetween(from, to);
  } catch (error) {
    if (TAKEN.includes(errnoOf(error) ?? '')) return 'taken';
    if (errnoOf(error) === 'ENOENT' && !isThere(from)) return 'absent';
    throw fileError(error, 'move', from);
  }
  await syncFolder(dirname(to), durability);
  await syncFolder(dirname(from), durability);
  return 'moved';
}

/**
 * Makes the folder `target` with what `fill` writes into it: it is there with all of that, or not at all.
 * Gives what `fill` gives. ALREADY_EXISTS where `target` is there and is not an empty folder,
 * FILESYSTEM_ERROR, and whatever `fill` throws.
 */
export async function writeNewFolder<T>(
  target: string,
  durability: Durability,
  fill: (folder: string) => Promise<T>,
): Promise<T> {
  const stage = join(dirname(target), temporaryName());
  // Checked first, so that `fill` is not called in vain.
  if ((await entriesOf(target, ['ENOENT', 'ENOTDIR'])).length === 0) {
    await makeFolder(stage);
    try {
      const result = await fill(stage);
      await syncFolder(stage, durability);
      if ((await moveByRename(stage, target, durability)) === 'moved') return result;
    } finally {
      await removeFolder(stage);
    }
  }
  throw new AppError('ALREADY_EXISTS', `${target} already exists. Nothing was written.`, {
    details: { path: target },
  });
}

const TAKEN = ['ENOTEMPTY', 'EEXIST', 'ENOTDIR'];

/** Renames between the two pinned folders, so that a link put in their place has no effect. */
async function renameBetween(from: string, to: string): Promise<void> {
  await inFolder(dirname(from), (source) =>
    inFolder(dirname(to), (target) =>
      renameWithRetry(source.at(basename(from)), target.at(basename(to))),
    ),
  );
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    if (errnoOf(error) !== 'ENOTDIR') throw error;
    return false;
  }
}

/** Removes a folder with its content, file by file. Rename it first, so that no reader sees a part of it. */
export async function removeFolder(path: string): Promise<void> {
  const removed = inFolder(dirname(path), (folder) => removeTree(folder, basename(path)));
  await withFileError('remove', path, () => ignoreErrno(['ENOENT'], removed));
}

/**
 * Removes a file. Does nothing if there is no such file. With `fsync` a power cut does not bring it back
 * once this resolves.
 */
export async function removeFile(path: string, { fsync } = { fsync: false }): Promise<void> {
  const removed = inFolder(dirname(path), (folder) => {
    unlinkSync(folder.at(basename(path)));
    return true;
  });
  const wasThere = await withFileError('remove', path, () => ignoreErrno(['ENOENT'], removed));
  if (wasThere) await syncFolder(dirname(path), { fsync });
}
