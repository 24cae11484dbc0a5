/**
 * Adds many new files to a folder. It writes all of them to a temporary folder and fsyncs them in parallel;
 * then each is renamed into place, and the folder is fsynced once. After a crash at any point each file is
 * complete or does not exist. new-folder-batch.ts does the same for folders.
 */
import { join } from 'node:path';
import { alreadyExistsError, fileError } from '../file-errors.js';
import type { Stamp } from '../read/stamp.js';
import { createIn, requireReplaceable } from '../safe-access/open-regular.js';
import type { PinnedFolder } from '../safe-access/pinned-folder.js';
import { storedFormsIn, type toStored } from '../sealing/open-stores.js';
import { type Durability, writeAndSync } from './atomic-write.js';
import type { Outcome } from './group-commit.js';
import { renameWithRetry } from './rename-with-retry.js';

export interface NewFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/**
 * Writes the files into `home`; `placeFile` later moves them to `parent`. Returns an outcome for each, in
 * order. The content of each successful one is on disk when it resolves. Never rejects.
 */
export const stageFiles = (
  home: PinnedFolder,
  parent: string,
  files: readonly NewFile[],
  durability: Durability,
): Promise<Outcome<Stamp>[]> =>
  stageEach(
    parent,
    files,
    ({ name }) => name,
    ({ name }, bytes, target) =>
      writeAndSync(() => createIn(home, name), bytes, target, durability),
  );

/**
 * Calls `stage` for each item at the same time, with its bytes as they must be stored. `nameOf`: the path of
 * its file below `parent`. Never rejects.
 */
export function stageEach<Item extends { readonly bytes: Uint8Array }>(
  parent: string,
  items: readonly Item[],
  nameOf: (item: Item) => string,
  stage: (item: Item, bytes: Uint8Array, target: string) => Promise<Stamp>,
): Promise<Outcome<Stamp>[]> {
  let storedForm: typeof toStored | undefined;
  const staging = items.map(async (item): Promise<Outcome<Stamp>> => {
    const target = join(parent, nameOf(item));
    try {
      storedForm ??= storedFormsIn(parent);
      return { value: await stage(item, storedForm(target, item.bytes), target) };
    } catch (error) {
      return { error: fileError(error, 'write', target) };
    }
  });
  return Promise.all(staging);
}

/**
 * Renames a staged file into `parent`. ALREADY_EXISTS if the name exists there; otherwise the system's own
 * error. Not durable until the caller fsyncs `parent`.
 */
export async function placeFile(from: string, parent: PinnedFolder, name: string): Promise<void> {
  const target = join(parent.realPath, name);
  if (requireReplaceable(parent, name, target) !== undefined) throw alreadyExistsError(target);
  await renameWithRetry(from, parent.at(name));
}
