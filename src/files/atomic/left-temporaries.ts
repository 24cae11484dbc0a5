/** Finds and removes temporary files (staging.ts) in a folder and all folders below it. */
import { basename, dirname } from 'node:path';
import { walkFiles } from '../read/walk-files.js';
import { isTemporaryName, sweepTemporaries } from './staging.js';

/**
 * Returns the folders, `folder` or below it, that contain temporary files or folders. A folder below it that
 * cannot be listed, such as one of another user, is left out. FILESYSTEM_ERROR.
 */
export async function foldersWithTemporaries(folder: string): Promise<string[]> {
  const folders = new Set<string>();
  const isLeftOut = (_name: string, path: string) => {
    const isTemporary = isTemporaryName(basename(path));
    if (isTemporary) folders.add(dirname(path));
    return isTemporary || basename(path) === '.git';
  };
  for await (const _ of walkFiles(folder, isLeftOut, { yieldsClosed: true }));
  return [...folders];
}

/** Removes the temporary files of ended processes in `folder` and below it. FILESYSTEM_ERROR. */
export async function sweepTemporariesBelow(folder: string): Promise<void> {
  for (const each of await foldersWithTemporaries(folder)) await sweepTemporaries(each);
}
