/** Takes a lock over from a dead owner (stale-owner.ts). */
import { mkdirSync, rmdirSync } from 'node:fs';
import { lstat, readdir, rename } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { errnoOf } from '../../base/errors.js';
import { ignoreErrno, TAKEN_ON_WINDOWS } from '../file-errors.js';
import { inFolder, type PinnedFolder } from '../safe-access/pinned-folder.js';
import { removeTree } from '../safe-access/remove-tree.js';
import { isOwnerName } from './process-identity.js';
import { isDead } from './stale-owner.js';

/** The name of the mark that a waiting process makes in the owner's folder. */
export const WANTED = 'wanted';
export const GONE = ['ENOENT'];
export const TAKEN = ['ENOTEMPTY', 'EEXIST'];
export const IS_WINDOWS = process.platform === 'win32';

/** The folder of a lock, and the pinned folder that contains it. */
export interface LockFolder {
  readonly folder: PinnedFolder;
  /** The absolute path, for error messages and as the key of maps. */
  readonly path: string;
  /** The path for system calls, which goes through the pinned `folder`. */
  readonly at: string;
}

/** True if the lock is free now: the owner was dead and was removed, or it has released the lock. */
export async function removeDeadOwner(lock: LockFolder): Promise<boolean> {
  const removed = inFolder(pathOfLock(lock), async (inside) => {
    const entries = await readdir(inside.path);
    const owner = entries.find(isOwnerName);
    if (owner === undefined) {
      // A foreign file is in the folder, such as .DS_Store. No rename onto the lock would succeed.
      for (const entry of entries) await removeTree(inside, entry);
      return true;
    }
    if (await isDead(lock.path, owner, inside.at(owner))) {
      return removeOwner(lock, inside, owner);
    }
    await markWanted(inside, owner);
    return false;
  });
  // Windows refuses to open a folder that its owner is removing.
  const gone = IS_WINDOWS ? [...GONE, ...TAKEN_ON_WINDOWS] : GONE;
  return (await ignoreErrno(gone, removed)) ?? true;
}

/** Creates the mark `wanted`: the owner's rmdir then fails at the release, so it notices the waiter. */
async function markWanted(inside: PinnedFolder, owner: string): Promise<void> {
  await inFolder(join(inside.realPath, owner), (home) => mkdirSync(home.at(WANTED))).catch(
    () => undefined, // the owner has released the lock, or the mark exists
  );
}

/**
 * Only one process succeeds with the rename and so removes the dead owner with its temporary file. After a power
 * cut during such a rename the folder may have both names; then the second rename succeeds.
 */
async function removeOwner(
  lock: LockFolder,
  inside: PinnedFolder,
  owner: string,
): Promise<boolean> {
  const discarded = discardedName(lock, owner);
  const lost = [...GONE, ...TAKEN, ...(IS_WINDOWS ? TAKEN_ON_WINDOWS : [])];
  for (let attempt = 1; attempt <= 2; attempt += 1) {
    await ignoreErrno(lost, rename(inside.at(owner), lock.folder.at(discarded)));
    await removeDiscarded(lock, discarded);
    const left = await ignoreErrno(GONE, lstat(inside.at(owner)));
    if (left === undefined) return true;
  }
  return false;
}

/**
 * If the folder cannot be removed now, a later start removes it (leftover-locks.ts). This can happen because a
 * waiter may add its mark even after the folder was renamed.
 */
export async function removeDiscarded({ folder }: LockFolder, name: string): Promise<void> {
  await removeTree(folder, name).catch(() => undefined);
}

export const discardedName = ({ path }: LockFolder, owner: string) =>
  `${basename(path)}.dead.${owner}`;

/** The real path of the lock's folder, for `inFolder`. */
const pathOfLock = ({ folder, path }: LockFolder) => join(folder.realPath, basename(path));

/** Removes a folder unless it has entries; then it belongs to the next owner. */
export function removeIfEmpty(path: string): void {
  try {
    rmdirSync(path);
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT', 'EPERM', 'EBUSY'].includes(errnoOf(error) ?? ''))
      throw error;
  }
}
