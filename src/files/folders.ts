/**
 * Folders as lists of names. Stores ask here what exists; they never see the file system itself.
 */
import { chmod, mkdir, readdir, rmdir, unlink } from 'node:fs/promises';
import { errnoOf } from '../base/errors.js';
import { FOLDER_MODE } from './atomic-write.js';
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

/** Removes a file; one that is not there is fine. */
export async function removeFile(path: string): Promise<void> {
  await reporting('remove', path, () => unless(['ENOENT'], unlink(path)));
}
