/**
 * Adds many new folders with one file each. It writes all of them under a temporary folder, fsyncs their
 * files in parallel, renames each folder into place, and fsyncs the parent folder once. After a crash at
 * any point each folder exists with its complete file, or does not exist.
 */
import { join } from 'node:path';
import { errnoOf } from '../../base/errors.js';
import { alreadyExistsError, TAKEN_ON_WINDOWS } from '../file-errors.js';
import { readStampNow, type Stamp } from '../read/stamp.js';
import { createIn } from '../safe-access/open-regular.js';
import type { PinnedFolder } from '../safe-access/pinned-folder.js';
import { type Durability, makePinned, syncNames, writeAndSync } from './atomic-write.js';
import type { Outcome } from './group-commit.js';
import { stageEach } from './new-file-batch.js';
import { renameWithRetry } from './rename-with-retry.js';

export interface NewFolder {
  readonly name: string;
  readonly fileName: string;
  readonly bytes: Uint8Array;
}

/** The errors for a rename onto a name that exists. */
export const TAKEN = ['ENOTEMPTY', 'EEXIST', 'ENOTDIR'];

/**
 * Writes the folders into `home`; `placeFolder` later moves them to `parent`. Returns an outcome for each,
 * in order. File and file name of each successful one are on disk when it resolves. Never rejects.
 */
export const stageFolders = (
  home: PinnedFolder,
  parent: string,
  folders: readonly NewFolder[],
  durability: Durability,
): Promise<Outcome<Stamp>[]> =>
  stageEach(
    parent,
    folders,
    ({ name, fileName }) => join(name, fileName),
    (folder, bytes, target) => stage(home, { ...folder, bytes }, target, durability),
  );

async function stage(
  home: PinnedFolder,
  { name, fileName, bytes }: NewFolder,
  target: string,
  durability: Durability,
): Promise<Stamp> {
  const folder = makePinned(home, name);
  try {
    const create = () => createIn(folder, fileName);
    const stamp = await writeAndSync(create, bytes, target, durability);
    if (durability.fsync) await syncNames(folder);
    return stamp;
  } finally {
    folder.close();
  }
}

/**
 * Renames a staged folder into `parent`. ALREADY_EXISTS if the name exists there and is not an empty
 * folder; otherwise the system's own error. Not durable until the caller fsyncs `parent`.
 */
export async function placeFolder(from: string, parent: PinnedFolder, name: string): Promise<void> {
  try {
    await renameWithRetry(from, parent.at(name));
  } catch (error) {
    const path = join(parent.realPath, name);
    const errno = errnoOf(error) ?? '';
    const isOfWindows = process.platform === 'win32' && TAKEN_ON_WINDOWS.includes(errno);
    if (!TAKEN.includes(errno) && !(isOfWindows && readStampNow(path) !== undefined)) throw error;
    throw alreadyExistsError(path, error);
  }
}
