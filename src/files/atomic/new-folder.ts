/** Creates a folder with all its files, or nothing. new-entry-batch.ts does it for many small folders. */
import { dirname, join } from 'node:path';
import { ABSENT, alreadyExistsError } from '../file-errors.js';
import { entriesOf, moveByRename, removeFolder } from '../paths/folders.js';
import { type Durability, makeFolder, syncFolder } from './atomic-write.js';
import { temporaryName } from './staging.js';

/**
 * Creates the folder `target` with the files that `fill` writes, all or nothing: `fill` gets a temporary
 * folder, which is then renamed. Returns the result of `fill`. The name is durable when it resolves.
 * ALREADY_EXISTS if `target` exists and is not an empty folder, FILESYSTEM_ERROR, and whatever `fill` throws.
 */
export async function writeNewFolder<T>(
  target: string,
  durability: Durability,
  fill: (folder: string) => Promise<T>,
): Promise<T> {
  const stage = join(dirname(target), temporaryName());
  // Checked before `fill` does its work.
  if ((await entriesOf(target, ABSENT)).length === 0) {
    await makeFolder(stage);
    try {
      const result = await fill(stage);
      await syncFolder(stage, durability);
      if ((await moveByRename(stage, target, durability)) === 'moved') return result;
    } finally {
      await removeFolder(stage);
    }
  }
  throw alreadyExistsError(target);
}
