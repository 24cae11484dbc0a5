/**
 * Lists the held write locks and removes one on the user's command. That is needed only if a lock stays and
 * its owner is on another machine or in another container: the next writer removes dead owners on this one.
 */
import { lstat, rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { systemClock } from '../../base/clock.js';
import type { AppError } from '../../base/errors.js';
import { ABSENT, ignoreErrno, withFileError } from '../file-errors.js';
import { entriesOf, listFolders } from '../paths/folders.js';
import { inFolder } from '../safe-access/pinned-folder.js';
import { notAFolderError, notRegularFileError } from '../safe-access/refusal-errors.js';
import { removeTree } from '../safe-access/remove-tree.js';
import { isHere, isOfEarlierBoot, isOwnerName, isSurelyDead, pidOf } from './process-identity.js';
import { STALE_AFTER_MS } from './stale-owner.js';

export interface LockFacts {
  readonly name: string;
  readonly path: string;
  readonly owner: string;
  /** The process id of the owner, on the machine or in the container where it runs. */
  readonly pid: number;
  /** How long ago the owner last touched its folder. */
  readonly quietMs: number;
  /**
   * `dead`: the process has ended, or was last seen before this machine was started (docs/LOCKING.md).
   * `quiet`: the process is on another machine or in another container, and has not touched its folder
   * for `STALE_AFTER_MS`.
   */
  readonly state: 'dead' | 'living' | 'quiet';
  /** The owner is on another machine or in another container. */
  readonly isElsewhere: boolean;
}

export interface InPlaceOfLock {
  readonly path: string;
  readonly error: AppError;
}

/** Returns the held locks, sorted by name. FILESYSTEM_ERROR. */
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
  return isHere(owner) || quietMs < STALE_AFTER_MS ? 'living' : 'quiet';
}

/**
 * Removes this owner from the lock. Returns false if it no longer owns the lock. If the owner is still
 * alive, no data is lost: its commit fails and its work runs again (docs/LOCKING.md). FILESYSTEM_ERROR.
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

/** Returns the paths of private and discarded folders that dead processes left. FILESYSTEM_ERROR. */
export async function leftInLocks(locksFolder: string): Promise<string[]> {
  const left: string[] = [];
  for (const name of (await listFolders(locksFolder)).sort()) {
    const path = join(locksFolder, name);
    const found = await ignoreErrno(['ENOENT'], lstat(path));
    if (found && hasEnded(name.slice(name.lastIndexOf('.') + 1), found.mtimeMs)) left.push(path);
  }
  return left;
}

/**
 * Returns what has the name of a lock, but is no folder, so that nobody can acquire that lock. Each error says what
 * it is. FILESYSTEM_ERROR.
 */
export async function inPlaceOfLocks(locksFolder: string): Promise<InPlaceOfLock[]> {
  return (await entriesOf(locksFolder))
    .filter((entry) => !entry.isDirectory() && !entry.name.startsWith('.'))
    .map((entry) => {
      const path = join(locksFolder, entry.name);
      return { path, error: notAFolderError(path, entry) };
    });
}

/** Like `inPlaceOfLocks`, for the folder of the leases: a lease is a folder `.lock`, and its owner a file `.owner`. */
export async function inPlaceOfLeases(leasesFolder: string): Promise<InPlaceOfLock[]> {
  return (await entriesOf(leasesFolder, ABSENT)).flatMap((entry) => {
    const path = join(leasesFolder, entry.name);
    if (entry.name.endsWith('.lock') && !entry.isDirectory())
      return [{ path, error: notAFolderError(path, entry) }];
    if (entry.name.endsWith('.owner') && entry.isDirectory())
      return [{ path, error: notRegularFileError(path, entry) }];
    return [];
  });
}

/** Whether the next writer, or the next sweep, removes this owner at once. */
const hasEnded = (owner: string, seenMs: number) =>
  isSurelyDead(owner) || isOfEarlierBoot(owner, seenMs);
