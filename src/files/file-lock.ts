/**
 * The cross-process write lock. Every MCP client starts its own server on the same root, so each
 * read-change-write happens under one.
 *
 * The owner's record is the *name* of a folder inside the lock folder: it cannot be torn, and the
 * lock is published and taken away by one rename each. New content is staged *inside* the lock, so
 * the rename that commits is also the check that we still own it: a process that was paused and
 * deposed fails there instead of overwriting newer data. docs/LOCKING.md has the protocol step by
 * step and what was measured. The few calls of the uncontended path are synchronous: each takes
 * microseconds, and a trip through the thread pool costs ten times that. Waiting processes leave a
 * `wanted` mark, so that a busy owner pauses.
 */
import { mkdirSync, renameSync, rmdirSync } from 'node:fs';
import { lstat, mkdir, readdir, rename, rm, utimes } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { sleep, systemClock } from '../base/clock.js';
import { AppError, errnoOf } from '../base/errors.js';
import { randomBelow } from '../base/ids.js';
import { FOLDER_MODE, makeFolder, renameWithRetry } from './atomic-write.js';
import { reporting, unless } from './file-errors.js';
import { listFolders } from './folders.js';
import { Deposed, type HeldLock, heldLock, WANTED } from './held-lock.js';
import { isOwnerName, isSurelyDead, ownerName } from './process-identity.js';

/** How long a caller waits before `LOCKED` (SPEC: ten seconds). */
const WAIT_LIMIT_MS = 10_000;
/** An owner nobody can judge from here touches its folder this often … */
const LEASE_TOUCH_MS = 5_000;
/** … and is deposed after standing still for this long on the waiter's own monotonic clock. */
const LEASE_DEAD_MS = 30_000;
const FIRST_PAUSE_MS = 1;
const LONGEST_PAUSE_MS = 20;
/** Longer than any waiter's pause, so that it gets its turn. */
const HAND_OVER_MS = 25;
const MAX_RUNS = 20;

const GONE = ['ENOENT'];
const TAKEN = ['ENOTEMPTY', 'EEXIST'];
/** What Windows answers to a rename onto a folder that exists, or that is just going away. */
const TAKEN_ON_WINDOWS = ['EPERM', 'EACCES', 'EBUSY'];
const IS_WINDOWS = process.platform === 'win32';

/** In-process queue by lock path: one process contends with others, never with itself. */
const queues = new Map<string, Promise<unknown>>();
/** Where another process showed that it waits: our own next turn begins after this time. */
const handOver = new Map<string, number>();
/** By lock path: an undecidable owner, how its folder looked, and since when on our monotonic clock. */
const observed = new Map<string, { owner: string; mtimeMs: number; since: number }>();
/**
 * Our own names that could not be taken off a lock (the disk failed at that moment). Nobody works
 * under them any more, so they count as dead here; or our next call would wait for ourselves.
 */
const abandoned = new Set<string>();

/**
 * Runs `work` while holding the lock `name` in `locksFolder`. `work` must read what it changes
 * inside the lock; it runs again from the beginning if the lock was lost before it committed.
 * Throws LOCKED after ten seconds of waiting, and whatever `work` throws.
 */
export async function withLock<T>(
  locksFolder: string,
  name: string,
  work: (lock: HeldLock) => Promise<T>,
): Promise<T> {
  const path = join(locksFolder, name);
  const before = queues.get(path) ?? Promise.resolve();
  const turn = before.then(() => runLocked(locksFolder, path, work));
  const settled = turn.catch(() => undefined);
  queues.set(path, settled);
  void settled.then(() => {
    if (queues.get(path) === settled) queues.delete(path);
  });
  return turn;
}

async function runLocked<T>(
  locksFolder: string,
  path: string,
  work: (lock: HeldLock) => Promise<T>,
): Promise<T> {
  for (let run = 1; run <= MAX_RUNS; run += 1) {
    const own = await reporting('lock', path, () => acquire(locksFolder, path));
    const lease = setInterval(() => void touch(join(path, own)), LEASE_TOUCH_MS).unref();
    let left: Promise<void> | undefined;
    const leave = () => {
      clearInterval(lease);
      left ??= release(path, own);
      left.catch(() => undefined); // told below
    };
    try {
      return await work(heldLock(join(path, own), leave));
    } catch (error) {
      if (!(error instanceof Deposed)) throw error;
    } finally {
      leave();
      await left;
    }
  }
  throw new AppError('LOCKED', `The lock ${basename(path)} was taken away ${MAX_RUNS} times.`);
}

async function acquire(locksFolder: string, path: string): Promise<string> {
  const start = systemClock.monotonic();
  await giveWay(path);
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    const own = await tryAcquire(locksFolder, path);
    if (own !== undefined) {
      observed.delete(path);
      return own;
    }
    if (systemClock.monotonic() - start > WAIT_LIMIT_MS) throw await lockedError(path);
    const isFree = await deposeDeadOwner(path);
    await sleep((isFree ? FIRST_PAUSE_MS : pauseMs) * (0.5 + randomBelow(1000) / 2000));
  }
}

/** Lets a process that waits for this lock have its turn, where the last owner was this process. */
async function giveWay(path: string): Promise<void> {
  const until = handOver.get(path);
  if (until === undefined) return;
  handOver.delete(path);
  await sleep(Math.max(0, until - systemClock.monotonic()));
}

/** Publishes a private folder that holds our name; `undefined` where somebody else owns the lock. */
async function tryAcquire(locksFolder: string, path: string): Promise<string | undefined> {
  const own = ownerName();
  const privatePath = `${path}.${own}`;
  try {
    await makePrivate(locksFolder, privatePath, own);
    if (publish(privatePath, path)) return own;
  } catch (error) {
    // A network share can report a failure for a rename that it did carry out.
    if (await exists(join(path, own)).catch(() => false)) return own;
    abandoned.add(own); // should it be published after all
    discardPrivate(privatePath, own);
    throw error;
  }
  discardPrivate(privatePath, own);
  return undefined;
}

/** What stays because it cannot be removed now is swept once this process is dead. */
function discardPrivate(privatePath: string, own: string): void {
  try {
    rmdirSync(join(privatePath, own));
    rmdirSync(privatePath);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
  }
}

function publish(privatePath: string, path: string): boolean {
  try {
    // Windows does not rename onto an empty folder, which a released lock may be left as.
    if (IS_WINDOWS) removeIfEmpty(path);
    renameSync(privatePath, path);
    return true;
  } catch (error) {
    const errno = errnoOf(error) ?? '';
    if (TAKEN.includes(errno) || (IS_WINDOWS && TAKEN_ON_WINDOWS.includes(errno))) return false;
    throw error;
  }
}

async function makePrivate(locksFolder: string, privatePath: string, own: string): Promise<void> {
  try {
    mkdirSync(privatePath, { mode: FOLDER_MODE });
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
    await makeFolder(locksFolder, { fsync: false }); // no lock has to outlive a power cut
    mkdirSync(privatePath, { mode: FOLDER_MODE });
  }
  mkdirSync(join(privatePath, own), { mode: FOLDER_MODE });
}

/** True where the way is free now: the owner was dead and we took it away, or it has left by itself. */
async function deposeDeadOwner(path: string): Promise<boolean> {
  const entries = (await unless(GONE, readdir(path))) ?? [];
  const owner = entries.find(isOwnerName);
  if (owner === undefined) {
    // No owner's name (.DS_Store): nobody would ever take it away, and no rename succeeds onto it.
    for (const entry of entries) await rm(join(path, entry), { recursive: true, force: true });
    return true;
  }
  if (!isDead(owner) && !(await isLeaseOver(path, owner, join(path, owner)))) {
    // The owner's rmdir at release fails because of this mark: that is how it learns of us.
    await mkdir(join(path, owner, WANTED)).catch(() => undefined); // it left meanwhile, or the mark is there
    return false;
  }
  return depose(path, owner);
}

/** One rename decides which process takes a dead owner away; its staged file leaves with it. */
async function depose(path: string, owner: string): Promise<boolean> {
  const grave = graveOf(path, owner);
  const lost = [...GONE, ...TAKEN, ...(IS_WINDOWS ? TAKEN_ON_WINDOWS : [])];
  await unless(lost, rename(join(path, owner), grave));
  abandoned.delete(owner);
  await bury(grave);
  return !(await exists(join(path, owner)));
}

/** What cannot be removed now, a later start sweeps: nobody takes a grave for the lock. */
async function bury(grave: string): Promise<void> {
  // A mark that was on its way when the folder was moved still arrives in it, once for each waiter.
  const options = { recursive: true, force: true, maxRetries: 10, retryDelay: 1 };
  await rm(grave, options).catch(() => undefined);
}

const isDead = (owner: string) => abandoned.has(owner) || isSurelyDead(owner);

const graveOf = (path: string, owner: string) => `${path}.dead.${owner}`;

async function isLeaseOver(path: string, owner: string, ownerPath: string): Promise<boolean> {
  const found = await unless(GONE, lstat(ownerPath));
  if (found === undefined) return false;
  const now = systemClock.monotonic();
  const last = observed.get(path);
  if (last === undefined || last.owner !== owner || last.mtimeMs !== found.mtimeMs) {
    observed.set(path, { owner, mtimeMs: found.mtimeMs, since: now });
    return false;
  }
  if (now - last.since < LEASE_DEAD_MS) return false;
  observed.delete(path);
  return true;
}

/** Never fails: what was committed stays committed; a lock that stays is taken away by the next caller. */
async function release(path: string, own: string): Promise<void> {
  try {
    if (leaveAtOnce(path, own) ?? (await leaveCleared(path, own))) removeIfEmpty(path);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    abandoned.add(own);
  }
}

/** False where the lock was taken from us and is somebody else's now; `undefined` where it is not empty. */
function leaveAtOnce(path: string, own: string): boolean | undefined {
  try {
    rmdirSync(join(path, own));
    return true;
  } catch (error) {
    return errnoOf(error) === 'ENOENT' ? false : undefined;
  }
}

/**
 * A failed write left its staging file, or somebody waits. Moved away in one step, because a waiter
 * may put its mark back while the folder is being emptied. Answers as `leaveAtOnce`.
 */
async function leaveCleared(path: string, own: string): Promise<boolean> {
  const home = join(path, own);
  const grave = graveOf(path, own);
  try {
    await renameWithRetry(home, grave);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false;
    throw error;
  }
  const isWanted = await exists(join(grave, WANTED)).catch(() => false);
  if (isWanted) handOver.set(path, systemClock.monotonic() + HAND_OVER_MS);
  await bury(grave);
  return true;
}

function removeIfEmpty(path: string): void {
  try {
    rmdirSync(path);
  } catch (error) {
    // Not empty: the next owner's. Gone: nothing to do.
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT', 'EPERM', 'EBUSY'].includes(errnoOf(error) ?? ''))
      throw error;
  }
}

async function touch(ownerPath: string): Promise<void> {
  const now = systemClock.now() / 1000;
  await utimes(ownerPath, now, now).catch(() => undefined); // deposed: the commit will notice
}

async function exists(path: string): Promise<boolean> {
  return (await unless(GONE, lstat(path))) !== undefined;
}

async function lockedError(path: string): Promise<AppError> {
  const owner = (await unless(GONE, readdir(path)))?.find(isOwnerName);
  return new AppError(
    'LOCKED',
    `Another process has held the write lock of ${basename(path)} for over ${WAIT_LIMIT_MS / 1000} seconds.`,
    { details: { path, ...(owner === undefined ? {} : { owner }) } },
  );
}

/**
 * Removes what dead processes left in `locksFolder`: locks, private folders, graves.
 * Nothing of a live process is touched; what cannot be judged yet is observed from now on.
 */
export async function sweepLocks(locksFolder: string): Promise<void> {
  for (const entry of await listFolders(locksFolder)) {
    const path = join(locksFolder, entry);
    await reporting('sweep', path, () => sweepLock(path, entry.slice(entry.lastIndexOf('.') + 1)));
  }
}

async function sweepLock(path: string, owner: string): Promise<void> {
  if (!isOwnerName(owner)) {
    await deposeDeadOwner(path);
    removeIfEmpty(path);
  } else if (isDead(owner) || (await isLeaseOver(path, owner, path))) {
    await rm(path, { recursive: true, force: true });
  }
}
