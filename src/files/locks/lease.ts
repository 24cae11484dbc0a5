/**
 * Leases that are held for a long time (proper-lockfile). They decide which process polls a research run,
 * writes the index cache or makes today's backup. If a machine stalls, two processes may have the same
 * lease. So a lease only avoids double work; what must not happen twice needs the write lock (file-lock.ts).
 *
 * The file `<path>.owner` beside the lock `<path>.lock` contains the name of the owner's process
 * (process-identity.ts). The lease is free if that process ran on this machine and is dead. It is also free if
 * the file is still missing after a second: then the process died before it wrote its name. Otherwise the
 * lease ends 20 s after its last refresh. If the time of this refresh is in the future, because a clock was
 * wrong, the lease is free if its owner does not refresh it within 10 s.
 */
import fs, { existsSync, lstatSync, rmdirSync } from 'node:fs';
import { basename, dirname } from 'node:path';
// Not imported later: its handler of signals ends the process if it is added after one that removes itself.
import { lock } from 'proper-lockfile';
import { sleep, systemClock } from '../../base/clock.js';
import { errnoOf, isAppError } from '../../base/errors.js';
import { atomicWrite, makeFolder } from '../atomic/atomic-write.js';
import { removeQuietly } from '../atomic/staging.js';
import { fileError, withFileError } from '../file-errors.js';
import { FOLDER_MODE } from '../private-modes.js';
import { isSameStamp, readStampNow, type Stamp } from '../read/stamp.js';
import { readWhole } from '../read/whole-file.js';
import { inFolder, pinFolder } from '../safe-access/pinned-folder.js';
import { notAFolderError } from '../safe-access/refusal-errors.js';
import { isSurelyDead, ownerName } from './process-identity.js';

/** A lease whose owner cannot be checked ends this long after its last refresh. */
export const LEASE_STALE_MS = 20_000;
const REFRESH_MS = 5_000;
/** An import checks thousands of times a second whether its lease is held. */
const CHECK_MS = 5;
/** How long a refresh is awaited if the time of the last one is in the future. */
const AHEAD_WAIT_MS = 2 * REFRESH_MS;
/** How long a waiter waits for the owner's file. An owner writes it within milliseconds. */
const OWNER_FILE_MS = 1_000;
const MAX_OWNER_BYTES = 1000;

type Done<T> = (error: Error | null, result?: T) => void;

/**
 * The file system for proper-lockfile, which gives no mode: the folder of a lock would be open to other users.
 *
 * Its refresh goes on after the lock was released if `stat` then fails with another error than ENOENT. It
 * throws in a timer, which would end the process. With ENOENT it stops.
 */
function lockFs(isOver: () => boolean) {
  const unlessOver =
    <T>(done: Done<T>): Done<T> =>
    (error, result) =>
      isOver()
        ? done(Object.assign(new Error('the lease is over'), { code: 'ENOENT' }))
        : done(error, result);
  return {
    ...fs,
    mkdir: (path: string, done: Done<void>) => fs.mkdir(path, FOLDER_MODE, done),
    stat: (path: string, done: Done<fs.Stats>) => fs.stat(path, unlessOver(done)),
    utimes: (path: string, atime: Date, mtime: Date, done: Done<void>) =>
      fs.utimes(path, atime, mtime, unlessOver(done)),
  };
}

export interface Lease {
  /** Returns false when another process has taken over the lease. Then stop the work soon. */
  isHeld(): boolean;
  /** May be called twice. Never rejects. */
  release(): Promise<void>;
}

/**
 * Returns `undefined` if another process holds the lease: a live process, or one on another machine or in
 * another container. Throws the signal's reason if it is aborted while this call waits for a sign of the owner.
 * FILESYSTEM_ERROR, PATH_ESCAPE.
 */
export async function tryLease(path: string, signal?: AbortSignal): Promise<Lease | undefined> {
  await makeFolder(dirname(path), { fsync: false });
  return (await removeAbandoned(path, signal)) ? acquire(path) : undefined;
}

async function acquire(path: string): Promise<Lease | undefined> {
  let isHeld = true;
  let isOver = false;
  const folder = await withFileError('lease', path, async () => pinFolder(dirname(path)));
  try {
    const at = folder.at(basename(path));
    const unlock = await lock(at, {
      lockfilePath: lockPath(at),
      realpath: false,
      fs: lockFs(() => isOver),
      stale: LEASE_STALE_MS,
      update: REFRESH_MS,
      // The default handler throws in a timer, which would end the process.
      onCompromised: () => {
        isHeld = false;
      },
    });
    // Without this file another process would take over the lease.
    const stamp = await atomicWrite(ownerPath(path), Buffer.from(ownerName()), {
      fsync: false,
    }).catch(async (error: unknown) => {
      await unlock();
      throw error;
    });
    // A process that was paused gets `onCompromised` too late: at its next refresh.
    let checkedMs = 0;
    const isOurs = () => {
      const ageMs = systemClock.now() - checkedMs;
      if (ageMs >= 0 && ageMs < CHECK_MS) return isHeld;
      if (isReplaced(ownerPath(path), stamp)) return false;
      checkedMs = systemClock.now();
      return isHeld;
    };
    return {
      isHeld: isOurs,
      release: async () => {
        // If the lease was taken over, lock and file belong to the new owner.
        const isStillOurs = isOurs();
        isOver = true;
        if (isStillOurs) {
          removeQuietly(folder.at(basename(ownerPath(path))));
          await unlock().catch(() => undefined);
        }
        isHeld = false;
        folder.close();
      },
    };
  } catch (error) {
    isOver = true;
    const name = basename(lockPath(path));
    const found = lstatSync(folder.at(name), { throwIfNoEntry: false });
    folder.close();
    // A lock is a folder. A file with its name would look like the lease of another process for ever.
    if (found?.isDirectory() === false) throw notAFolderError(lockPath(path), found);
    if (errnoOf(error) === 'ELOCKED') return undefined;
    if (isAppError(error)) throw error;
    throw fileError(error, 'lease', path);
  }
}

/**
 * Removes the lock of an owner that is surely dead, that wrote no name in a second, or whose last refresh is
 * in the future and not followed by another one. proper-lockfile may remove the lock of the next owner
 * instead. Returns false if another process acquired, refreshed or released the lease meanwhile.
 */
async function removeAbandoned(path: string, signal?: AbortSignal): Promise<boolean> {
  const version = lockVersion(path);
  if (version === '') return true;
  const owner = await ownerOf(path);
  const mayLive = owner !== undefined && !isSurelyDead(owner.name);
  if (mayLive && !isAhead(path)) return true;
  // Until an owner has written its name, the file is missing or has the name of the owner before it.
  if (mayLive || owner === undefined || owner.writtenMs < lockChangedMs(path)) {
    await sleep(mayLive ? AHEAD_WAIT_MS : OWNER_FILE_MS, signal);
    const isSame = (await ownerOf(path))?.name === owner?.name && lockVersion(path) === version;
    if (!isSame) return false;
  }
  await inFolder(dirname(path), (folder) => {
    // Another process may have removed the lock meanwhile, and a third one may have acquired the lease.
    if (lockVersion(path) === version) rmdirSync(folder.at(basename(lockPath(path))));
  }).catch(() => undefined);
  return true;
}

async function ownerOf(path: string): Promise<{ name: string; writtenMs: number } | undefined> {
  const found = await readWhole(ownerPath(path), MAX_OWNER_BYTES).catch(() => undefined);
  if (found === undefined) return undefined;
  return { name: found.bytes.toString().trim(), writtenMs: Number(found.stamp.mtimeNs) / 1e6 };
}

/** When the lock was made or refreshed. Its `mtime` may be up to a second later (proper-lockfile). */
function lockChangedMs(path: string): number {
  return lstatSync(lockPath(path), { throwIfNoEntry: false })?.ctimeMs ?? 0;
}

/** Whether the last refresh is so far in the future that its age would not end the lease soon. */
function isAhead(path: string): boolean {
  const refreshedMs = lstatSync(lockPath(path), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return refreshedMs > systemClock.now() + LEASE_STALE_MS;
}

/** Whether the file was replaced or removed. False if its folder cannot be read, as when a store is away. */
function isReplaced(path: string, stamp: Stamp): boolean {
  try {
    const now = readStampNow(path);
    return now === undefined ? existsSync(dirname(path)) : !isSameStamp(now, stamp);
  } catch (error) {
    if (!isAppError(error)) throw error;
    return false;
  }
}

/** Identifies one acquisition of the lock: the next one has another version. Empty if there is no lock. */
function lockVersion(path: string): string {
  const found = lstatSync(lockPath(path), { throwIfNoEntry: false });
  return found === undefined ? '' : `${found.ino} ${found.mtimeMs}`;
}

const lockPath = (path: string) => `${path}.lock`;
const ownerPath = (path: string) => `${path}.owner`;
