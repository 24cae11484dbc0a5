/**
 * Removes a file or a folder with all that is in it. Each folder on the way is opened before anything in
 * it is removed, so a link that takes its name meanwhile leads nowhere.
 */
import { readdir, rm, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { sleep } from '../../base/clock.js';
import { errnoOf } from '../../base/errors.js';
import { inFolder, type PinnedFolder } from './pinned-folder.js';

/** `unlink` of a folder: Linux, then macOS. */
const IS_FOLDER = ['EISDIR', 'EPERM'];
const NOT_EMPTY = ['ENOTEMPTY', 'EEXIST'];
/** Other processes may add to the folder while it is removed. */
const MAX_TRIES = 10;

/**
 * Removes `name` from the folder; does nothing where it is missing. A link is removed, not what it leads
 * to. Throws the system's own error, and PATH_ESCAPE for a folder that was swapped meanwhile.
 */
export async function removeTree(folder: PinnedFolder, name: string): Promise<void> {
  // Only Linux has a path for an open folder.
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
