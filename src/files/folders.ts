/**
 * Folders as lists of names. Stores ask here what exists; they never see the file system itself.
 */
import { chmod, lstat, mkdir, readdir, rm, rmdir, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errnoOf } from '../base/errors.js';
import { type Durability, FOLDER_MODE, renameWithRetry, syncFolder } from './atomic-write.js';
import { fileError, reporting, unless } from './file-errors.js';

/** Names of the sub-folders; an absent folder has none. Links are not followed. */
export async function listFolders(path: string): Promise<string[]> {
  return reporting('list', path, async () => {
    const entries = (await unless(['ENOENT'], readdir(path, { withFileTypes: true }))) ?? [];
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  });
}

/** Names of the files in a folder; an absent folder has none. */
export async function listFiles(path: string): Promise<string[]> {
  return reporting('list', path, async () => {
    const entries = (await unless(['ENOENT'], readdir(path, { withFileTypes: true }))) ?? [];
    return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  });
}

/** Claims a name: true for exactly one caller, also across processes. */
export async function claimFolder(path: string): Promise<boolean> {
  try {
    await mkdir(path, { mode: FOLDER_MODE });
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    throw fileError(error, 'create', path);
  }
  try {
    await chmod(path, FOLDER_MODE); // the umask may have taken bits away
    return true;
  } catch (error) {
    await removeEmptyFolder(path);
    throw fileError(error, 'create', path);
  }
}

/** Removes the folder where it is empty; true where it is gone. Never removes content. */
export async function removeEmptyFolder(path: string): Promise<boolean> {
  try {
    await rmdir(path);
    return true;
  } catch (error) {
    return errnoOf(error) === 'ENOENT';
  }
}

/**
 * Moves a folder with all that is in it by one rename, durable when it resolves. `taken`: there is
 * something at `to` (an empty folder is replaced); `absent`: there is nothing at `from`.
 * Both are on one file system; the folder that `to` will lie in exists.
 */
export async function moveFolder(
  from: string,
  to: string,
  durability: Durability,
): Promise<'moved' | 'taken' | 'absent'> {
  try {
    // Windows does not rename onto a folder, not even an empty one.
    if (process.platform === 'win32') await removeEmptyFolder(to);
    await renameWithRetry(from, to);
  } catch (error) {
    if (TAKEN.includes(errnoOf(error) ?? '')) return 'taken';
    if (errnoOf(error) === 'ENOENT' && !(await isThere(from))) return 'absent';
    throw fileError(error, 'move', from);
  }
  await syncFolder(dirname(to), durability);
  await syncFolder(dirname(from), durability);
  return 'moved';
}

/**
 * Moves a file by one rename, durable when it resolves; what is at `to` is replaced. False where
 * there is nothing at `from`.
 */
export async function moveFile(from: string, to: string, durability: Durability): Promise<boolean> {
  try {
    await renameWithRetry(from, to);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' && !(await isThere(from))) return false;
    throw fileError(error, 'move', from);
  }
  await syncFolder(dirname(to), durability);
  await syncFolder(dirname(from), durability);
  return true;
}

const TAKEN = ['ENOTEMPTY', 'EEXIST', 'ENOTDIR'];

async function isThere(path: string): Promise<boolean> {
  return (await unless(['ENOENT', 'ENOTDIR'], lstat(path))) !== undefined;
}

/** Removes a folder with all that is in it, file by file: rename it out of sight first. */
export async function removeFolder(path: string): Promise<void> {
  await reporting('remove', path, () => rm(path, { recursive: true, force: true }));
}

/** Removes a file; one that is not there is fine. */
export async function removeFile(path: string): Promise<void> {
  await reporting('remove', path, () => unless(['ENOENT'], unlink(path)));
}
