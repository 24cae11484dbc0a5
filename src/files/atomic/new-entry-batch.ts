/**
 * Adds many new entries to a folder: files, or folders with one file each. It writes all of them to a temporary
 * folder and fsyncs their files in parallel; then each is renamed into place, and the parent folder is fsynced
 * once. After a crash at any point each entry is complete or does not exist.
 */
import { join } from 'node:path';
import { errnoOf } from '../../base/errors.js';
import { alreadyExistsError, fileError, TAKEN_ON_WINDOWS } from '../file-errors.js';
import { readStampNow, type Stamp } from '../read/stamp.js';
import { createAt, requireReplaceable } from '../safe-access/open-regular.js';
import type { PinnedFolder } from '../safe-access/pinned-folder.js';
import { storedFormsIn, type toStored } from '../sealing/open-stores.js';
import { type Durability, makePinned, syncNames, writeAndSync } from './atomic-write.js';
import type { Outcome } from './group-commit.js';
import { renameWithRetry } from './rename-with-retry.js';

export interface NewEntry {
  readonly name: string;
  /** The name of the file in the new folder; if it is absent, the entry itself is the file. */
  readonly fileName?: string;
  readonly bytes: Uint8Array;
}

/** The errors for a rename onto a name that exists. */
export const TAKEN = ['ENOTEMPTY', 'EEXIST', 'ENOTDIR'];

/**
 * Writes the entries into `home`; `placeEntry` later moves them to `parent`. Returns an outcome for each, in
 * order. What each successful one contains is on disk when it resolves. Never rejects.
 */
export function stageEntries(
  home: PinnedFolder,
  parent: string,
  entries: readonly NewEntry[],
  durability: Durability,
): Promise<Outcome<Stamp>[]> {
  let storedForm: typeof toStored | undefined;
  const staging = entries.map(async (entry): Promise<Outcome<Stamp>> => {
    const target = join(parent, entry.name, entry.fileName ?? '');
    try {
      storedForm ??= storedFormsIn(parent);
      const stored = { ...entry, bytes: storedForm(target, entry.bytes) };
      return { value: await stage(home, stored, target, durability) };
    } catch (error) {
      return { error: fileError(error, 'write', target) };
    }
  });
  return Promise.all(staging);
}

async function stage(
  home: PinnedFolder,
  { name, fileName, bytes }: NewEntry,
  target: string,
  durability: Durability,
): Promise<Stamp> {
  if (fileName === undefined) {
    return writeAndSync(createAt(home.at(name)), bytes, target, durability);
  }
  const folder = makePinned(home, name);
  try {
    const file = createAt(folder.at(fileName));
    const stamp = await writeAndSync(file, bytes, target, durability);
    if (durability.fsync) await syncNames(folder);
    return stamp;
  } finally {
    folder.close();
  }
}

/**
 * Renames the staged entry at `from` into `parent`. ALREADY_EXISTS if its name exists there (an empty folder is
 * replaced by a folder); otherwise the system's own error. Not durable until the caller fsyncs `parent`.
 */
export async function placeEntry(
  from: string,
  parent: PinnedFolder,
  { name, fileName }: NewEntry,
): Promise<void> {
  const target = join(parent.realPath, name);
  // A rename would replace a file, and fails for a folder that is not empty.
  const isFile = fileName === undefined;
  if (isFile && requireReplaceable(parent, name, target) !== undefined)
    throw alreadyExistsError(target);
  try {
    await renameWithRetry(from, parent.at(name));
  } catch (error) {
    const errno = errnoOf(error) ?? '';
    const isOfWindows = process.platform === 'win32' && TAKEN_ON_WINDOWS.includes(errno);
    const isTaken = TAKEN.includes(errno) || (isOfWindows && readStampNow(target) !== undefined);
    if (isFile || !isTaken) throw error;
    throw alreadyExistsError(target, error);
  }
}
