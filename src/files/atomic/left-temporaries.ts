/** Finds and removes temporary files (staging.ts) in a folder and all folders below it. */
import { basename, dirname } from 'node:path';
import { walkFiles } from '../read/walk-files.js';
import { isTemporaryName, sweepTemporaries } from './staging.js';

/** Returns the folders, `folder` or below it, that contain temporary files. FILESYSTEM_ERROR. */
export async function foldersWithTemporaries(folder: string): Promise<string[]> {
  const folders = new Set<string>();
  for await (const { path } of walkFiles(folder, (name) => basename(name) === '.git'))
    if (isTemporaryName(basename(path))) folders.add(dirname(path));
  return [...folders];
}

/** Removes the temporary files of ended processes in `folder` and below it. FILESYSTEM_ERROR. */
export async function sweepTemporariesBelow(folder: string): Promise<void> {
  for (const each of await foldersWithTemporaries(folder)) await sweepTemporaries(each);
}
