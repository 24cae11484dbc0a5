/** Removes what dead processes left in the folder of the locks. stale-owner.ts decides which owners are dead. */
import { basename, join } from 'node:path';
import { withFileError } from '../file-errors.js';
import { listFolders } from '../paths/folders.js';
import { inFolder } from '../safe-access/pinned-folder.js';
import { removeTree } from '../safe-access/remove-tree.js';
import { type LockFolder, removeDeadOwner, removeIfEmpty } from './lock-takeover.js';
import { isOwnerName } from './process-identity.js';
import { isDead } from './stale-owner.js';

/**
 * Removes what dead processes left in `locksFolder`: locks, private folders and discarded folders. An
 * owner on another machine or in another container is removed only if a later call finds it untouched.
 * FILESYSTEM_ERROR.
 */
export async function sweepLocks(locksFolder: string): Promise<void> {
  for (const entry of await listFolders(locksFolder)) {
    const path = join(locksFolder, entry);
    const owner = entry.slice(entry.lastIndexOf('.') + 1);
    await withFileError('sweep', path, () =>
      inFolder(locksFolder, (folder) => sweepLock({ path, at: folder.at(entry), folder }, owner)),
    );
  }
}

async function sweepLock(lock: LockFolder, owner: string): Promise<void> {
  const { path, at } = lock;
  if (!isOwnerName(owner)) {
    await removeDeadOwner(lock);
    removeIfEmpty(at);
  } else if (await isDead(path, owner, at)) {
    await removeTree(lock.folder, basename(path));
  }
}
