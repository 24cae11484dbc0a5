/**
 * Lists the write locks that are held now, and removes one by hand. That is needed only if a lock stays
 * and its owner cannot be seen from here: the next writer removes an owner that is surely dead.
 */
import { lstat, rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { systemClock } from '../../base/clock.js';
import { entriesOf, listFolders } from '../paths/folders.js';
import { ignoreErrno, withFileError } from '../read/file-errors.js';
import { inFolder } from '../safe-access/pinned-folder.js';
import { removeTree } from '../safe-access/remove-tree.js';
import { isHere, isOfEarlierBoot, isOwnerName, isSurelyDead, pidOf } from './process-identity.js';

/** An owner touches its folder every five seconds. One that did so within this time is at work. */
const AT_WORK_MS = 30_000;

export interface LockFacts {
  readonly name: string;
  readonly path: string;
  readonly owner: string;
  /** Of the owner, on the machine or in the container where it runs. */
  readonly pid: number;
  /** How long ago the owner last touched its folder. */
  readonly quietMs: number;
  /**
   * `dead`: also of a process that was last seen before this machine was started (docs/LOCKING.md).
   * `quiet`: its process cannot be seen from here, and it has not touched its folder for 30 s.
   */
  readonly state: 'dead' | 'living' | 'quiet';
  /** Its process runs elsewhere, as on another machine or in another container. */
  readonly isElsewhere: boolean;
}

/** In the order of their names. FILESYSTEM_ERROR. */
export async function heldLocks(locksFolder: string): Promise<LockFacts[]> {
  const found: LockFacts[] = [];
  for (const name of (await listFolders(locksFolder)).sort()) {
    // The name of a private or discarded folder ends with an owner's name. It is not a lock.
    if (isOwnerName(name.slice(name.lastIndexOf('.') + 1))) continue;
    const path = join(locksFolder, name);
    const owner = (await entriesOf(path)).map((entry) => entry.name).find(isOwnerName);
    const seen = owner && (await ignoreErrno(['ENOENT'], lstat(join(path, owner))));
    if (owner === undefined || !seen) continue;
    const quietMs = Math.max(0, systemClock.now() - seen.mtimeMs);
    const state = stateOf(owner, seen.mtimeMs, quietMs);
    found.push({
      name,
      path,
      owner,
      pid: pidOf(owner),
      quietMs,
      state,
      isElsewhere: !isHere(owner),
    });
  }
  return found;
}

function stateOf(owner: string, seenMs: number, quietMs: number): LockFacts['state'] {
  if (hasEnded(owner, seenMs)) return 'dead';
  return isHere(owner) || quietMs < AT_WORK_MS ? 'living' : 'quiet';
}

/**
 * Removes exactly that owner from the lock; false if it has released the lock. If the owner is still
 * alive, no data is lost: its commit fails, and its work runs again (docs/LOCKING.md).
 */
export async function breakLock({ path, owner }: LockFacts): Promise<boolean> {
  const take = inFolder(dirname(path), async (folder) => {
    const discarded = `${basename(path)}.dead.${owner}`;
    const isTaken = await ignoreErrno(
      ['ENOENT'],
      inFolder(path, (lock) => rename(lock.at(owner), folder.at(discarded))).then(() => true),
    );
    await removeTree(folder, discarded);
    return isTaken ?? false;
  });
  return withFileError('unlock', path, () => take);
}

/** Paths of what ended processes left beside the locks: private and discarded folders. FILESYSTEM_ERROR. */
export async function leftInLocks(locksFolder: string): Promise<string[]> {
  const left: string[] = [];
  for (const name of (await listFolders(locksFolder)).sort()) {
    const path = join(locksFolder, name);
    const found = await ignoreErrno(['ENOENT'], lstat(path));
    if (found && hasEnded(name.slice(name.lastIndexOf('.') + 1), found.mtimeMs)) left.push(path);
  }
  return left;
}

/** What the next writer and the sweep remove at once. */
const hasEnded = (owner: string, seenMs: number) =>
  isSurelyDead(owner) || isOfEarlierBoot(owner, seenMs);
