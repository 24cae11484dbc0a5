/** How much room a folder takes, and how much there is left. */
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { reporting, unless } from './file-errors.js';
import { listFiles } from './list-files.js';
import { readStampNow } from './stamp.js';

export interface FolderSize {
  readonly files: number;
  readonly sizeBytes: number;
}

/** Of all files below it; an absent folder holds nothing. FILESYSTEM_ERROR. */
export async function folderSize(folder: string): Promise<FolderSize> {
  let files = 0;
  let sizeBytes = 0;
  for await (const { path, isPlain } of listFiles(folder, () => false)) {
    if (!isPlain) continue;
    files += 1;
    sizeBytes += Number(readStampNow(path)?.size ?? 0);
  }
  return { files, sizeBytes };
}

/** Bytes that this user may still write where the folder is, or will be. FILESYSTEM_ERROR. */
export async function freeBytes(folder: string): Promise<number> {
  return reporting('look at', folder, async () => {
    for (let path = folder; ; path = dirname(path)) {
      const found = await unless(['ENOENT', 'ENOTDIR'], statfs(path));
      if (found !== undefined) return found.bavail * found.bsize;
    }
  });
}
