/**
 * Acquires and releases the lock folders of `file-lock.ts`. A lock is acquired by one rename of a private
 * folder, and released by removing the own name. Without contention all calls are synchronous: each takes
 * microseconds, and the thread pool costs ten times that.
 */
import { existsSync, lstatSync, mkdirSync, renameSync, rmdirSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { sleep, systemClock } from '../../base/clock.js';
import { AppError, errnoOf, undefinedIfRefused } from '../../base/errors.js';
import { randomBelow } from '../../base/ids.js';
import { makeFolder } from '../atomic/atomic-write.js';
import { renameWithRetry } from '../atomic/rename-with-retry.js';
import { ignoreErrno, TAKEN_ON_WINDOWS } from '../file-errors.js';
import { FOLDER_MODE } from '../private-modes.js';
import { type PinnedFolder, pinFolder } from '../safe-access/pinned-folder.js';
import { isAtPath } from '../safe-access/real-path.js';
import { notAFolderError } from '../safe-access/refusal-errors.js';
import {
  discardedName,
  GONE,
  IS_WINDOWS,
  type LockFolder,
  removeDeadOwner,
  removeDiscarded,
  removeIfEmpty,
  TAKEN,
  WANTED,
} from './lock-takeover.js';
import { ownedNames } from './owned-names.js';
import { isOwnerName, ownerName } from './process-identity.js';
import { forgetOwner } from './stale-owner.js';

/** How long a caller waits before it gets `LOCKED`. */
const WAIT_LIMIT_MS = 10_000;
const FIRST_PAUSE_MS = 1;
const LONGEST_PAUSE_MS = 20;
/** An owner pauses this long for a waiter: longer than any waiter's pause, so the waiter gets the lock. */
const YIELD_MS = 25;

/** A lock that this process owns. Its `folder` stays pinned until the release. */
export interface OwnedLock extends LockFolder {
  /** The name of this process's folder inside the lock. */
  readonly own: string;
}

/** By lock path, if another process waits: this process tries again after this time (monotonic). */
const yieldUntil = new Map<string, number>();

/** Waits at most ten seconds; then LOCKED. Otherwise throws the system's own error, or PATH_ESCAPE for a link. */
export async function acquire(locksFolder: string, path: string): Promise<OwnedLock> {
  const start = systemClock.monotonic();
  const isOver = () => systemClock.monotonic() - start > WAIT_LIMIT_MS;
  await yieldToWaiter(path);
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    const folder = await pinLocks(locksFolder);
    const lock = { path, at: folder.at(basename(path)), folder };
    let isFree = false;
    try {
      const own = tryAcquire(lock);
      if (own !== undefined) {
        forgetOwner(path);
        return { ...lock, own };
      }
      if (isOver()) throw await lockedError(lock);
      isFree = await removeDeadOwner(lock);
      folder.close();
    } catch (error) {
      folder.close();
      // ENOENT: the folder of the locks was removed meanwhile. Another process may have made it again.
      if (errnoOf(error) !== 'ENOENT' || isOver()) throw error;
    }
    await sleep((isFree ? FIRST_PAUSE_MS : pauseMs) * (0.5 + randomBelow(1000) / 2000));
  }
}

/** Creates it if missing, without fsync: no lock has to survive a power cut. PATH_ESCAPE. */
async function pinLocks(locksFolder: string): Promise<PinnedFolder> {
  try {
    return pinFolder(locksFolder);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
    await makeFolder(locksFolder, { fsync: false });
    return pinFolder(locksFolder);
  }
}

/** Pauses if another process waits for this lock and this process was its last owner. */
async function yieldToWaiter(path: string): Promise<void> {
  const until = yieldUntil.get(path);
  if (until === undefined) return;
  yieldUntil.delete(path);
  await sleep(Math.max(0, until - systemClock.monotonic()));
}

/** Renames a private folder with our name to the lock. `undefined` if another process owns the lock. */
function tryAcquire(lock: LockFolder): string | undefined {
  const { at } = lock;
  const own = ownerName();
  ownedNames.add(own);
  const privatePath = `${at}.${own}`;
  try {
    makePrivate(privatePath, own);
    if (publish(privatePath, lock)) return own;
  } catch (error) {
    // A network share can report a failure for a rename that succeeded.
    if (existsSync(join(at, own))) return own;
    ownedNames.delete(own); // the rename may still succeed later
    discardPrivate(privatePath, own);
    throw error;
  }
  discardPrivate(privatePath, own);
  ownedNames.delete(own);
  return undefined;
}

/** If the folder cannot be removed now, a sweep removes it when this process has ended. */
function discardPrivate(privatePath: string, own: string): void {
  undefinedIfRefused(() => {
    rmdirSync(join(privatePath, own));
    rmdirSync(privatePath);
  });
}

function publish(privatePath: string, { at, path }: LockFolder): boolean {
  try {
    // A released lock may remain as an empty folder. Windows does not rename onto an existing folder.
    if (IS_WINDOWS) removeIfEmpty(at);
    renameSync(privatePath, at);
    return true;
  } catch (error) {
    const errno = errnoOf(error) ?? '';
    const found = lstatSync(at, { throwIfNoEntry: false });
    if (found?.isDirectory() === false) throw notAFolderError(path, found);
    if (TAKEN.includes(errno) || (IS_WINDOWS && TAKEN_ON_WINDOWS.includes(errno))) return false;
    throw error;
  }
}

function makePrivate(privatePath: string, own: string): void {
  mkdirSync(privatePath, { mode: FOLDER_MODE });
  mkdirSync(join(privatePath, own), { mode: FOLDER_MODE });
}

/**
 * Whether the lock was not lost. It is also lost if another folder has replaced the folder of the locks: then
 * other processes acquire the lock there. False if that cannot be determined.
 */
export function isHeld({ path, at, own, folder }: OwnedLock): boolean {
  const isThere = () => {
    lstatSync(join(at, own));
    return folder.file === undefined || isAtPath(folder.file, dirname(path));
  };
  return undefinedIfRefused(isThere) ?? false;
}

/** Whether another process waits for the lock. */
export const isWanted = ({ at, own }: OwnedLock): boolean => existsSync(join(at, own, WANTED));

/** Ignores errors of the system: the commits are done, and the next caller removes a lock that remains. */
export async function release(owned: OwnedLock): Promise<void> {
  const { at, own, folder } = owned;
  try {
    if (removeOwnName(at, own) ?? (await discardOwnName(owned))) removeIfEmpty(at);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
  } finally {
    ownedNames.delete(own); // also if the name could not be removed
    folder.close();
  }
}

/** False if another process removed our name from the lock; `undefined` if our folder is not empty. */
function removeOwnName(path: string, own: string): boolean | undefined {
  try {
    rmdirSync(join(path, own));
    return true;
  } catch (error) {
    return errnoOf(error) === 'ENOENT' ? false : undefined;
  }
}

/**
 * Removes our folder if it contains the temporary file of a failed write or a waiter's mark. It renames
 * the folder first, because a waiter could add its mark again meanwhile. Returns false if another process
 * removed our name.
 */
async function discardOwnName(owned: OwnedLock): Promise<boolean> {
  const { path, at, own, folder } = owned;
  const home = join(at, own);
  const discarded = folder.at(discardedName(owned, own));
  try {
    await renameWithRetry(home, discarded);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false;
    throw error;
  }
  if (existsSync(join(discarded, WANTED))) yieldUntil.set(path, systemClock.monotonic() + YIELD_MS);
  await removeDiscarded(owned, discardedName(owned, own));
  return true;
}

async function lockedError({ path, at }: LockFolder): Promise<AppError> {
  const owner = (await ignoreErrno(GONE, readdir(at)))?.find(isOwnerName);
  return new AppError(
    'LOCKED',
    `Another process has had the write lock of ${basename(path)} for more than ${WAIT_LIMIT_MS / 1000} seconds.`,
    { details: { path, ...(owner === undefined ? {} : { owner }) } },
  );
}
