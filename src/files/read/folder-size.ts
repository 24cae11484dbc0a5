/** The size of a folder, and the free space on its disk. */
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ignoreErrno, withFileError } from './file-errors.js';
import { readStampNow } from './stamp.js';
import { walkFiles } from './walk-files.js';

/** The number of folders that are listed at the same time to measure a size. */
export const FOLDERS_AT_ONCE = 32;

export interface FolderSize {
  readonly files: number;
  readonly sizeBytes: number;
}

/** Returns number and size of all regular files below the folder; 0 if it is missing. FILESYSTEM_ERROR. */
export async function folderSize(folder: string): Promise<FolderSize> {
  let files = 0;
  let sizeBytes = 0;
  for await (const { path, isPlain } of walkFiles(folder, () => false, FOLDERS_AT_ONCE)) {
    if (!isPlain) continue;
    files += 1;
    sizeBytes += Number(readStampNow(path)?.size ?? 0);
  }
  return { files, sizeBytes };
}

/**
 * Returns how many bytes this user can write on the disk of the folder, which may be missing.
 * FILESYSTEM_ERROR.
 */
export async function freeBytes(folder: string): Promise<number> {
  return withFileError('inspect', folder, async () => {
    for (let path = folder; ; path = dirname(path)) {
      const found = await ignoreErrno(['ENOENT', 'ENOTDIR'], statfs(path));
      if (found !== undefined) return found.bavail * found.bsize;
    }
  });
}
