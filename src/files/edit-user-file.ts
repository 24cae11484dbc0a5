/**
 * Changing a file of the user's that another program reads too: a copy is kept beside it, a link to
 * it stays a link, its permissions stay, and it is replaced whole or not at all.
 */

import { constants } from 'node:fs';
import { chmod, copyFile, realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { atomicWrite, makeFolder } from './atomic-write.js';
import { reporting, unless } from './file-errors.js';

/**
 * Durable when it resolves, with the path of the copy where there was a file. `suffix` names the copy
 * (`<file>.<suffix>`); one that is there is not overwritten. FILESYSTEM_ERROR: nothing was changed.
 */
export async function replaceUserFile(
  path: string,
  text: string,
  suffix: string,
): Promise<string | undefined> {
  return reporting('write', path, async () => {
    const target = (await unless(['ENOENT'], realpath(path))) ?? path;
    const before = await unless(['ENOENT'], stat(target));
    const copy = before && `${target}.${suffix}`;
    if (copy) await copyFile(target, copy, constants.COPYFILE_EXCL);
    await makeFolder(dirname(target));
    await atomicWrite(target, Buffer.from(text), { fsync: true });
    if (before) await chmod(target, before.mode & 0o777);
    return copy;
  });
}

/** Whether there is a folder at `path`. */
export async function isFolder(path: string): Promise<boolean> {
  const found = await reporting('look at', path, () => unless(['ENOENT', 'ENOTDIR'], stat(path)));
  return found?.isDirectory() ?? false;
}
