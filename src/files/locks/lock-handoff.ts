/**
 * A process that uses a lock again and again leaves it to its next call, because acquiring and releasing it
 * takes as long as the rest of a short write. It releases the lock if the next call does not come soon, or if
 * another process waits.
 */
import { dirname } from 'node:path';
import { PendingWork } from '../../base/async/pending-work.js';
import { isHeld, isWanted, type OwnedLock, release } from './lock-acquisition.js';

/** A call comes soon if it is at most so long after the last one. A lock that was left waits for it so long. */
const SOON_MS = 50;
/** How often the process checks whether another one waits for the lock. */
const CHECK_MS = 10;

interface LastUse {
  /** The lock, if it was left to the next call. */
  readonly owned: OwnedLock | undefined;
  readonly timer: NodeJS.Timeout;
}

/** By lock path: the last use, for `SOON_MS`. */
const lastUses = new Map<string, LastUse>();
const releases = new PendingWork();

/** Must be called at the end of each use. If `owned` is given, it is left to the next `takeLastUse`. */
export function noteUse(path: string, owned?: OwnedLock): void {
  let checks = SOON_MS / CHECK_MS;
  const timer = setInterval(() => {
    checks -= 1;
    if (checks === 0 || (owned !== undefined && isWanted(owned))) void endUse(path);
  }, CHECK_MS);
  if (owned === undefined) timer.unref();
  lastUses.set(path, { owned, timer });
}

/**
 * Must be called at the start of each use. `undefined` if the last use was not just now, so that the next one
 * is not likely to come soon. Otherwise with the lock if it was left, and was not lost since.
 */
export async function takeLastUse(path: string): Promise<Pick<LastUse, 'owned'> | undefined> {
  const last = remove(path);
  if (last?.owned === undefined || isHeld(last.owned)) return last;
  await release(last.owned);
  return { owned: undefined };
}

/** Releases the locks in the folder that were left: before the store is closed. */
export async function releaseLeftLocks(locksFolder: string): Promise<void> {
  const paths = [...lastUses.keys()].filter((path) => dirname(path) === locksFolder);
  await Promise.all(paths.map(endUse));
  await releases.idle(); // also of those whose time has just ended
}

async function endUse(path: string): Promise<void> {
  const last = remove(path);
  if (last?.owned !== undefined) await releases.track(release(last.owned));
}

function remove(path: string): LastUse | undefined {
  const last = lastUses.get(path);
  clearInterval(last?.timer);
  lastUses.delete(path);
  return last;
}
