/** The sizes of the files in a folder, and the free space on its disk. */
import { type Dirent, lstatSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { TimeSlice } from '../../base/async/time-slice.js';
import { errnoOf, isAppError } from '../../base/errors.js';
import { ABSENT, fileError, ignoreErrno, withFileError } from '../file-errors.js';
import { entriesNow, entriesOf } from '../paths/folders.js';
import { isPlainName } from './walk-files.js';

/** A folder of another user among many must not hide the size of all others. */
const CLOSED = ['EACCES', 'EPERM'];

export interface FolderSize {
  readonly files: number;
  readonly sizeBytes: number;
}

/** Returns number and size of all regular files below the folder; 0 if it is missing. FILESYSTEM_ERROR. */
export async function folderSize(folder: string): Promise<FolderSize> {
  let files = 0;
  let sizeBytes = 0;
  await forEachSize(folder, (_name, bytes) => {
    files += 1;
    sizeBytes += bytes;
  });
  return { files, sizeBytes };
}

/**
 * Calls `onFile` with each regular file below the folder: its name relative to the folder, with `/`, and its
 * size. A folder that is missing or reached through a link, or that this user may not read, has no files.
 * Synchronous calls in slices take a third of the time of `walkFiles`, because a folder has few files.
 * FILESYSTEM_ERROR.
 */
export async function forEachSize(
  folder: string,
  onFile: (name: string, bytes: number) => void,
  isLeftOut: (name: string) => boolean = () => false,
): Promise<void> {
  const slice = new TimeSlice({ readsDisk: true });
  const visit = async (path: string, prefix: string, entries: readonly Dirent[]): Promise<void> => {
    for (const entry of entries) {
      const name = `${prefix}${entry.name}`;
      if (isLeftOut(name)) continue;
      const own = join(path, entry.name);
      if (entry.isDirectory())
        await visit(own, `${name}/`, entriesNow(own, [...ABSENT, ...CLOSED]));
      else if (entry.isFile() && isPlainName(entry.name)) {
        onFile(name, sizeOf(own));
      }
      if (slice.isSpent()) await slice.yield();
    }
  };
  // Not at once, because the folder of all conversations may have a hundred thousand entries.
  const entries = await entriesOf(folder, [...ABSENT, ...CLOSED]).catch((error: unknown) => {
    if (isAppError(error, 'PATH_ESCAPE')) return [];
    throw error;
  });
  await visit(folder, '', entries);
}

function sizeOf(path: string): number {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;
  } catch (error) {
    if ([...ABSENT, ...CLOSED].includes(errnoOf(error) ?? '')) return 0;
    throw fileError(error, 'inspect', path);
  }
}

/** The bytes that this user can write there; the folder may be missing. FILESYSTEM_ERROR. */
export async function freeBytes(folder: string): Promise<number> {
  return withFileError('inspect', folder, async () => {
    for (let path = folder; ; path = dirname(path)) {
      const found = await ignoreErrno(ABSENT, statfs(path));
      if (found !== undefined) return found.bavail * found.bsize;
    }
  });
}
