/**
 * A process that uses a lock again and again leaves it to its next call, because acquiring and releasing it
 * takes as long as the rest of a short write. If the next call does not come soon, the lock is released.
 */
import { dirname } from 'node:path';
import { systemClock } from '../../base/clock.js';
import { isHeld, type OwnedLock, release } from './lock-acquisition.js';

/** The next call comes soon if the last one was not longer ago, and a lock that was left waits so long for it. */
const SOON_MS = 50;

interface LeftLock {
  readonly owned: OwnedLock;
  readonly timer: NodeJS.Timeout;
}

/** By lock path. */
const leftLocks = new Map<string, LeftLock>();
/** By lock path, the oldest first: the end of the last use (monotonic). Older than `SOON_MS` are removed. */
const lastUses = new Map<string, number>();

/** Whether this process has just used the lock, so that its next call is likely to come soon. */
export function isUsedOften(path: string): boolean {
  removeOld();
  return lastUses.has(path);
}

/** Must be called at the end of each use. */
export function noteUse(path: string): void {
  lastUses.delete(path); // the new one is the last
  lastUses.set(path, systemClock.monotonic());
  removeOld();
}

function removeOld(): void {
  for (const [path, time] of lastUses) {
    if (systemClock.monotonic() - time < SOON_MS) return;
    lastUses.delete(path);
  }
}

/** Leaves the lock to the next `takeLock` of its path. */
export function leaveLock(owned: OwnedLock): void {
  const timer = setTimeout(() => void releaseLeft(owned.path), SOON_MS);
  leftLocks.set(owned.path, { owned, timer });
}

/** The lock that was left, if it was not released yet and not lost. */
export async function takeLock(path: string): Promise<OwnedLock | undefined> {
  const owned = removeLeft(path);
  if (owned === undefined || isHeld(owned)) return owned;
  await release(owned);
  return undefined;
}

/** Releases the locks in the folder that were left: before the store is closed. */
export async function releaseLeftLocks(locksFolder: string): Promise<void> {
  const paths = [...leftLocks.keys()].filter((path) => dirname(path) === locksFolder);
  await Promise.all(paths.map(releaseLeft));
}

async function releaseLeft(path: string): Promise<void> {
  const owned = removeLeft(path);
  if (owned !== undefined) await release(owned);
}

function removeLeft(path: string): OwnedLock | undefined {
  const left = leftLocks.get(path);
  clearTimeout(left?.timer);
  leftLocks.delete(path);
  return left?.owned;
}
