/** Lists, moves and removes folders and files. The stores use it instead of node:fs. */
import { type Dirent, lstatSync, readdirSync, rmdirSync, unlinkSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { errnoOf } from '../../base/errors.js';
import { confirmNames, type Durability, makeIn } from '../atomic/atomic-write.js';
import { TAKEN } from '../atomic/new-entry-batch.js';
import { renameWithRetry } from '../atomic/rename-with-retry.js';
import { ABSENT, fileError, ignoreErrno, withFileError } from '../file-errors.js';
import { inFolder } from '../safe-access/pinned-folder.js';
import { removeTree } from '../safe-access/remove-tree.js';

/**
 * Returns the entries of the folder; links are not followed. Returns an empty list for an errno in
 * `absent`. PATH_ESCAPE if the folder is a link, FILESYSTEM_ERROR.
 */
export async function entriesOf(path: string, absent = ['ENOENT']): Promise<Dirent[]> {
  return withFileError('list', path, async () => {
    const listed = inFolder(path, (folder) => readdir(folder.path, { withFileTypes: true }));
    return (await ignoreErrno(absent, listed)) ?? [];
  });
}

/**
 * Like `entriesOf`, synchronous, for many folders with few entries. The folder is not pinned, which would take
 * longer than listing it. So what is done with an entry afterwards must be safe if a link replaced the folder.
 */
export function entriesNow(path: string, absent = ['ENOENT']): Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch (error) {
    if (absent.includes(errnoOf(error) ?? '')) return [];
    throw fileError(error, 'list', path);
  }
}

/** Returns the names of the sub-folders; an empty list if the folder is missing. Links are left out. */
export async function listFolders(path: string): Promise<string[]> {
  const entries = await entriesOf(path);
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

/** Returns the names of the regular files; an empty list if the folder is missing. Links are left out. */
export async function listFiles(path: string): Promise<string[]> {
  const entries = await entriesOf(path);
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

/** Whether there is a folder at `path`, which may be a link. FILESYSTEM_ERROR. */
export const isFolder = async (path: string): Promise<boolean> =>
  (await statOf(path))?.isDirectory() ?? false;

/** Whether there is anything at `path`, which may be a link. FILESYSTEM_ERROR. */
export const isPresent = async (path: string): Promise<boolean> =>
  (await statOf(path)) !== undefined;

/** Nothing can have a name that is too long. */
const CANNOT_EXIST = [...ABSENT, 'ENAMETOOLONG'];

const statOf = (path: string) =>
  withFileError('inspect', path, () => ignoreErrno(CANNOT_EXIST, stat(path)));

/** Creates the folder. Returns true for exactly one caller of all processes, false if it exists already. */
export async function claimFolder(path: string): Promise<boolean> {
  try {
    await inFolder(dirname(path), (folder) => makeIn(folder, basename(path)));
    return true;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    throw fileError(error, 'create', path);
  }
}

/** Removes the folder if it is empty. Returns true if it does not exist afterwards. */
export async function removeEmptyFolder(path: string): Promise<boolean> {
  try {
    await inFolder(dirname(path), (folder) => rmdirSync(folder.at(basename(path))));
    return true;
  } catch (error) {
    return errnoOf(error) === 'ENOENT';
  }
}

/** Removes the empty folders above `path`, up to but without `folder`. */
export async function removeEmptyParents(path: string, folder: string): Promise<void> {
  for (let parent = dirname(path); parent !== folder; parent = dirname(parent)) {
    if (!(await removeEmptyFolder(parent))) return;
  }
}

/**
 * Moves a file, or a folder with its content, by one rename. Durable when it resolves. A file replaces an
 * existing file at `to`. Returns `taken` if `to` exists and is not an empty folder, `absent` if `from` does
 * not exist. Both must be on one file system, and the parent folder of `to` must exist. FILESYSTEM_ERROR, with
 * `details.movedTo` if only the disk did not confirm the move.
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
  for (const each of [to, from])
    await confirmNames(dirname(each), `${from} was moved to ${to}`, durability, { movedTo: to });
  return 'moved';
}

/** Renames between the two pinned folders, so that a link that replaces one of them has no effect. */
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

/** Removes a folder with its content, file by file. Rename it before, so that no reader sees a part of it. */
export async function removeFolder(path: string): Promise<void> {
  const removed = inFolder(dirname(path), (folder) => removeTree(folder, basename(path)));
  await withFileError('remove', path, () => ignoreErrno(['ENOENT'], removed));
}

/** Does nothing if there is no such file. Durable when it resolves with `fsync`. FILESYSTEM_ERROR. */
export async function removeFile(path: string, { fsync } = { fsync: false }): Promise<void> {
  const removed = inFolder(dirname(path), (folder) => {
    unlinkSync(folder.at(basename(path)));
    return true;
  });
  const wasThere = await withFileError('remove', path, () => ignoreErrno(['ENOENT'], removed));
  if (wasThere) await confirmNames(dirname(path), `${path} was removed`, { fsync });
}
