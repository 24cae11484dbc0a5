/** Excludes a private folder from git by a `.gitignore` inside it. */
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { atomicWrite, type Durability } from '../atomic/atomic-write.js';
import { ignoreErrno, withFileError } from '../file-errors.js';
import { notRegularFileError } from '../safe-access/refusal-errors.js';

/** Writes a `.gitignore` with `*` if there is none. PATH_ESCAPE for a link. */
export async function keepOutOfGit(folder: string, durability: Durability): Promise<void> {
  const path = join(folder, '.gitignore');
  const found = await withFileError('inspect', path, () => ignoreErrno(['ENOENT'], lstat(path)));
  // Git ignores a `.gitignore` that is a link, and would commit the folder.
  if (found !== undefined && !found.isFile()) throw notRegularFileError(path, found);
  if (found !== undefined) return;
  await atomicWrite(path, Buffer.from('*\n'), durability);
}
