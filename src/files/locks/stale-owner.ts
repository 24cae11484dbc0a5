/**
 * Decides whether the owner of a lock is dead. Whether an owner still runs cannot be determined if it ran on
 * another machine, in another container, or before this machine started. Such an owner counts as dead when it
 * no longer touches its folder.
 */
import { lstat } from 'node:fs/promises';
import { systemClock } from '../../base/clock.js';
import { ignoreErrno } from '../file-errors.js';
import { ownedNames } from './owned-names.js';
import { isOfEarlierBoot, isOwnName, isSurelyDead } from './process-identity.js';

/**
 * A waiter removes an owner that did not touch its folder for this long on the waiter's monotonic clock. A living
 * owner touches it every five seconds.
 */
export const STALE_AFTER_MS = 30_000;

/**
 * By lock path: an owner on another machine or in another container, the time of its last touch, and since
 * when (monotonic) that time has not changed.
 */
const observed = new Map<string, { owner: string; mtimeMs: number; since: number }>();

/** For a lock that this process has acquired. */
export function forgetOwner(lockPath: string): void {
  observed.delete(lockPath);
}

/** `ownerPath`: the folder of the owner, which is inside the lock at `path`. FILESYSTEM_ERROR. */
export async function isDead(path: string, owner: string, ownerPath: string): Promise<boolean> {
  const isSure = isOwnName(owner) ? !ownedNames.has(owner) : isSurelyDead(owner);
  return isSure || isStale(path, owner, ownerPath);
}

async function isStale(path: string, owner: string, ownerPath: string): Promise<boolean> {
  const found = await ignoreErrno(['ENOENT'], lstat(ownerPath));
  if (found === undefined) return false;
  if (isOfEarlierBoot(owner, found.mtimeMs)) return true;
  const now = systemClock.monotonic();
  const last = observed.get(path);
  if (last === undefined || last.owner !== owner || last.mtimeMs !== found.mtimeMs) {
    observed.set(path, { owner, mtimeMs: found.mtimeMs, since: now });
    return false;
  }
  if (now - last.since < STALE_AFTER_MS) return false;
  observed.delete(path);
  return true;
}
