/** Finds and removes temporary files (staging.ts) in a folder and all folders below it. */
import { basename, dirname } from 'node:path';
import { walkFiles } from '../read/walk-files.js';
import { isTemporaryName, sweepTemporaries } from './staging.js';

/**
 * Returns the folders, `folder` or below it, that contain temporary files. A folder below it that cannot be listed,
 * such as one of another user, is left out. FILESYSTEM_ERROR.
 */
export async function foldersWithTemporaries(folder: string): Promise<string[]> {
  const folders = new Set<string>();
  const isGit = (name: string) => basename(name) === '.git';
  for await (const { path } of walkFiles(folder, isGit, { yieldsClosed: true }))
    if (isTemporaryName(basename(path))) folders.add(dirname(path));
  return [...folders];
}

/** Removes the temporary files of ended processes in `folder` and below it. FILESYSTEM_ERROR. */
export async function sweepTemporariesBelow(folder: string): Promise<void> {
  for (const each of await foldersWithTemporaries(folder)) await sweepTemporaries(each);
}
