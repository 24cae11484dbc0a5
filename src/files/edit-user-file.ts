/**
 * Changing a file of the user's that another program reads and writes too, without our lock: a copy is
 * kept beside it, a link to it stays a link, its permissions stay, and it is replaced whole or not at
 * all, and only while it is what the change was made from.
 */

import { constants } from 'node:fs';
import { chmod, copyFile, readFile, realpath, rm, stat } from 'node:fs/promises';
import { atomicWrite } from './atomic-write.js';
import { reporting, unless } from './file-errors.js';
import { addFile } from './new-file.js';
import { readStamp } from './stamp.js';

/**
 * Replaces the text of a file, empty where there is none, by what `change` makes of it. Durable when
 * it resolves, with the path of the copy where there was a file. `suffix` names the copy
 * (`<file>.<suffix>`); one that is there is not overwritten. FILESYSTEM_ERROR; CONFLICT or
 * ALREADY_EXISTS where another program wrote the file meanwhile: nothing was changed.
 */
export async function changeUserFile(
  path: string,
  change: (text: string) => string,
  suffix: string,
): Promise<string | undefined> {
  return reporting('write', path, async () => {
    const target = (await unless(['ENOENT'], realpath(path))) ?? path;
    const base = await readStamp(target);
    if (base === undefined) {
      await addFile(target, Buffer.from(change('')), { fsync: true });
      return undefined;
    }
    const { mode } = await stat(target);
    const changed = Buffer.from(change(await readFile(target, 'utf8')));
    const copy = `${target}.${suffix}`;
    await copyFile(target, copy, constants.COPYFILE_EXCL);
    try {
      await atomicWrite(target, changed, { fsync: true }, base);
    } catch (error) {
      await rm(copy, { force: true }); // of a change that was not made
      throw error;
    }
    await chmod(target, mode & 0o777);
    return copy;
  });
}

/** Whether there is a folder at `path`. */
export async function isFolder(path: string): Promise<boolean> {
  const found = await reporting('look at', path, () => unless(['ENOENT', 'ENOTDIR'], stat(path)));
  return found?.isDirectory() ?? false;
}
