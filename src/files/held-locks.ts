/**
 * The write locks that are held now, and taking one away by hand. Needed only where a lock stays
 * although nobody works under it: an owner that is surely dead is taken away by whoever comes next.
 */
import { lstat, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../base/clock.js';
import { reporting, unless } from './file-errors.js';
import { listFolders } from './folders.js';
import { isHere, isOwnerName, isSurelyDead, pidOf } from './process-identity.js';

/** An owner touches its folder every five seconds; one that did within this time is at work. */
const AT_WORK_MS = 30_000;

export interface LockFacts {
  readonly name: string;
  readonly path: string;
  readonly owner: string;
  /** Of the owner, on the machine or in the container where it runs. */
  readonly pid: number;
  /** How long ago the owner last showed that it is there. */
  readonly quietMs: number;
  /** `quiet`: nobody here can know, but it showed nothing for half a minute. */
  readonly state: 'dead' | 'living' | 'quiet';
}

/** In the order of their names. FILESYSTEM_ERROR. */
export async function heldLocks(locksFolder: string): Promise<LockFacts[]> {
  const found: LockFacts[] = [];
  for (const name of (await listFolders(locksFolder)).sort()) {
    // A private folder or a grave is named after an owner, and is nobody's lock.
    if (isOwnerName(name.slice(name.lastIndexOf('.') + 1))) continue;
    const path = join(locksFolder, name);
    const entries = await reporting('list', path, () => unless(['ENOENT'], readdir(path)));
    const owner = entries?.find(isOwnerName);
    const seen = owner && (await unless(['ENOENT'], lstat(join(path, owner))));
    if (owner === undefined || !seen) continue;
    const quietMs = Math.max(0, systemClock.now() - seen.mtimeMs);
    found.push({ name, path, owner, pid: pidOf(owner), quietMs, state: stateOf(owner, quietMs) });
  }
  return found;
}

function stateOf(owner: string, quietMs: number): LockFacts['state'] {
  if (isSurelyDead(owner)) return 'dead';
  return isHere(owner) || quietMs < AT_WORK_MS ? 'living' : 'quiet';
}

/**
 * Takes the lock from exactly that owner; false where it has left by itself. An owner that lives
 * after all loses nothing: its commit fails, and its work begins again (docs/LOCKING.md).
 */
export async function takeLockAway({ path, owner }: LockFacts): Promise<boolean> {
  return reporting('unlock', path, async () => {
    const grave = `${path}.dead.${owner}`;
    const isTaken = await unless(
      ['ENOENT'],
      rename(join(path, owner), grave).then(() => true),
    );
    await rm(grave, { recursive: true, force: true });
    return isTaken ?? false;
  });
}
