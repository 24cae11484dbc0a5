/**
 * Removes a file, or a folder with its content. Each folder is pinned before its entries are removed, so a
 * link that replaces the folder meanwhile has no effect.
 */
import { readdir, rm, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { sleep } from '../../base/clock.js';
import { errnoOf } from '../../base/errors.js';
import { inFolder, type PinnedFolder } from './pinned-folder.js';

/** The errors of `unlink` for a folder: on Linux, on macOS. */
const IS_FOLDER = ['EISDIR', 'EPERM'];
const NOT_EMPTY = ['ENOTEMPTY', 'EEXIST'];
/** Other processes may add files to the folder while it is removed. */
const MAX_TRIES = 10;

/**
 * Removes `name` from the folder; does nothing if it is missing. Of a link, only the link is removed.
 * Throws the system's own error, and PATH_ESCAPE if a folder is replaced by a link meanwhile.
 */
export async function removeTree(folder: PinnedFolder, name: string): Promise<void> {
  // Only on Linux is there a path through an open folder.
  if (folder.path === folder.realPath) {
    return rm(folder.at(name), { recursive: true, force: true, maxRetries: MAX_TRIES });
  }
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await removeOnce(folder, name);
    } catch (error) {
      const errno = errnoOf(error) ?? '';
      if (errno === 'ENOENT') return;
      if (!NOT_EMPTY.includes(errno) || attempt === MAX_TRIES) throw error;
      await sleep(attempt);
    }
  }
}

async function removeOnce(folder: PinnedFolder, name: string): Promise<void> {
  try {
    return await unlink(folder.at(name));
  } catch (error) {
    if (!IS_FOLDER.includes(errnoOf(error) ?? '')) throw error;
  }
  await inFolder(join(folder.realPath, name), async (inside) => {
    for (const each of await readdir(inside.path)) await removeTree(inside, each);
  });
  await rmdir(folder.at(name));
}
