/**
 * The write lock between processes. Every MCP client starts its own server on the same root, so each
 * read-change-write happens under this lock.
 *
 * The lock is a folder. The *name* of the folder inside it identifies the owner, so a crash cannot leave
 * half of it, and one rename acquires the lock or removes a dead owner. Every change of a file under the
 * lock is a rename from or to the owner's folder inside the lock. If the lock was lost, this folder is gone
 * and the rename fails, so a process that was paused cannot overwrite newer data. A waiting process creates
 * the mark `wanted`, and a busy owner then pauses. lock-acquisition.ts acquires and releases the folders and has
 * this pause; lock-takeover.ts makes the mark and removes dead owners. docs/LOCKING.md has the protocol and the
 * measurements.
 */
import { existsSync, linkSync, lstatSync } from 'node:fs';
import { lstat, rm, utimes } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { systemClock } from '../../base/clock.js';
import { AppError, errnoOf } from '../../base/errors.js';
import {
  confirmNames,
  type Durability,
  type ReplaceOptions,
  renameOnto,
  replaceThrough,
  StaleBaseError,
  syncFolder,
  syncNames,
  unconfirmed,
} from '../atomic/atomic-write.js';
import { type NewEntry, placeEntry, stageEntries } from '../atomic/new-entry-batch.js';
import { renameWithRetry } from '../atomic/rename-with-retry.js';
import { isWithoutLinks } from '../atomic/staging.js';
import { fileError, ignoreErrno, withFileError } from '../file-errors.js';
import { isSameFile, readStampNow, type Stamp } from '../read/stamp.js';
import { copyRegular, requireReplaceable } from '../safe-access/open-regular.js';
import { inFolder, type PinnedFolder } from '../safe-access/pinned-folder.js';
import { notRegularFileError } from '../safe-access/refusal-errors.js';
import { requireUnconverted } from '../sealing/open-stores.js';
import { requirePresent } from '../store-presence.js';
import { acquire, isWanted, type OwnedLock, release } from './lock-acquisition.js';
import { noteUse, takeLastUse } from './lock-handoff.js';
import { GONE } from './lock-takeover.js';
import { HEARTBEAT_INTERVAL_MS } from './process-identity.js';

const MAX_RUNS = 20;

/** By lock path: the last call of this process. Calls of one process wait here, not on the disk. */
const queues = new Map<string, Promise<unknown>>();

/** The lock was lost, or the file that was read has changed. `withLock` then runs the work again. */
export class LockLostError extends Error {}

export interface LockedReplaceOptions extends ReplaceOptions {
  /**
   * This is the last operation under the lock: the lock is released after the rename and before the fsync
   * of the folder, or left to the next call of this process (`lock-handoff.ts`). A later writer's fsync also
   * makes this rename durable. A caller that only reads the new content must fsync the target's folder itself
   * before it relies on it.
   */
  readonly isLast?: boolean;
}

export interface HeldLock {
  /**
   * Replaces `target` (on the lock's file system) with `bytes`. Durable when it resolves. If it throws, the
   * target is unchanged, unless the error has `details.unconfirmed`. An error of `onReplaced` is thrown at
   * the end. LockLostError if the lock was lost, or if `base` is given and an editor has changed the target
   * since.
   */
  replace(
    target: string,
    bytes: Uint8Array,
    durability: Durability,
    options?: LockedReplaceOptions,
  ): Promise<Stamp>;
  /**
   * Makes `target` a hard link to the file `source`, or a copy if hard links are not supported. Replaces a
   * file `target`. Does nothing if there is no `source`. The name is durable when it resolves.
   * LockLostError if the lock was lost.
   */
  link(source: string, target: string, durability: Durability): Promise<void>;
  /** Durable when it resolves. Does nothing if there is no such file. LockLostError. */
  remove(target: string, durability: Durability): Promise<void>;
  /** Like `replace`, by a file that was fsynced before: for content too large for memory. */
  replaceByFile(stage: string, target: string, durability: Durability): Promise<void>;
  /**
   * Adds new files or folders to `parent`; each is added completely or not at all. Calls `onPlaced` for each added
   * entry; returns the error of each other entry by its index (ALREADY_EXISTS: its name exists). All added
   * entries are durable when it resolves. LockLostError if the lock was lost: call it again with the
   * entries that were not added.
   */
  addEntries(
    parent: string,
    entries: readonly NewEntry[],
    durability: Durability,
    onPlaced: (index: number, stamp: Stamp) => void,
  ): Promise<Map<number, unknown>>;
  /** Whether this process still owns the lock. Appends check it, because they have no rename that fails. */
  isOurs(): boolean;
  /** Whether another process waits for the lock. */
  isWanted(): boolean;
}

/**
 * Runs `work` under the lock `name` in `locksFolder`. `work` must read the data that it changes under the
 * lock. If the lock is lost before the commit, `work` runs again from its start. LOCKED after ten seconds
 * of waiting or after 20 lost locks, STORAGE_UNAVAILABLE, FILESYSTEM_ERROR, and whatever `work` throws.
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
    requirePresent(path);
    const last = await takeLastUse(path);
    const owned =
      last?.owned ?? (await withFileError('lock', path, () => acquire(locksFolder, path)));
    const home = join(owned.at, owned.own);
    const heartbeat = setInterval(() => void touch(home), HEARTBEAT_INTERVAL_MS).unref();
    let left: Promise<void> | undefined;
    const leave = () => {
      clearInterval(heartbeat);
      left ??= release(owned);
      left.catch(() => undefined); // `await left` below throws it
    };
    const leaveAfterLast = () => {
      const isKept = last !== undefined && !isWanted(owned);
      noteUse(path, isKept ? owned : undefined);
      if (isKept) left = Promise.resolve();
      leave();
    };
    try {
      requireUnconverted(path);
      return await work(heldLock(owned, leaveAfterLast));
    } catch (error) {
      if (!(error instanceof LockLostError)) throw error;
    } finally {
      leave();
      await left;
    }
  }
  throw new AppError('LOCKED', `The lock ${basename(path)} was lost ${MAX_RUNS} times.`);
}

async function touch(ownerPath: string): Promise<void> {
  const now = systemClock.now() / 1000;
  await utimes(ownerPath, now, now).catch(() => undefined); // if the lock was lost, the commit fails
}

function heldLock(owned: OwnedLock, leaveAfterLast: () => void): HeldLock {
  /** The owner's folder in the lock, for system calls, and its real path. */
  const [home, homePath] = [join(owned.at, owned.own), join(owned.path, owned.own)];
  let isLeft = false;
  const requireHeld = () => {
    if (isLeft) throw new AppError('INTERNAL', 'A lock was used after its release.');
  };
  return {
    async replace(target, bytes, durability, { base, onReplaced, isLast = false } = {}) {
      requireHeld();
      const failures: unknown[] = [];
      const stamp = await whileLockHeld(home, 'write', target, () =>
        replaceThrough(join(home, 'stage'), target, bytes, durability, {
          base,
          onReplaced(written) {
            isLeft = isLast;
            if (isLast) leaveAfterLast();
            try {
              onReplaced?.(written);
            } catch (error) {
              failures.push(error); // not a failure of the write
            }
          },
        }),
      );
      for (const failure of failures) throw failure;
      return stamp;
    },
    async link(source, target, durability) {
      requireHeld();
      const [from, to] = [readStampNow(source), readStampNow(target)];
      if (from === undefined || (to !== undefined && isSameFile(from, to))) return;
      await whileLockHeld(home, 'link', target, async () => {
        await inFolder(dirname(source), (folder) => {
          requireReplaceable(folder, basename(source), source);
          return linkOrCopy(folder, source, join(home, 'stage'));
        });
        // A symbolic link may have replaced the source since: a hard link would then be a link to it.
        const staged = lstatSync(join(home, 'stage'));
        if (!staged.isFile()) throw notRegularFileError(source, staged);
        await renameOnto(join(home, 'stage'), target);
        await confirmNames(dirname(target), `${target} was linked`, durability);
      });
    },
    remove(target, durability) {
      requireHeld();
      return removeThrough(home, target, durability);
    },
    async replaceByFile(stage, target, durability) {
      requireHeld();
      await whileLockHeld(home, 'write', target, async () => {
        await inFolder(dirname(stage), (folder) =>
          renameWithRetry(folder.at(basename(stage)), join(home, 'stage')),
        );
        await renameOnto(join(home, 'stage'), target);
      });
      await syncFolder(dirname(target), durability).catch((error: unknown) => {
        throw unconfirmed(target, error);
      });
    },
    addEntries(parent, ...added) {
      requireHeld();
      return whileLockHeld(home, 'write', parent, () => addAll(home, homePath, parent, ...added));
    },
    // If the folder cannot be read, the lock counts as lost and the work runs again.
    isOurs: () => existsSync(home),
    isWanted: () => isWanted(owned),
  };
}

/** Runs a step that needs the lock. LockLostError if it failed because the lock was lost. */
async function whileLockHeld<T>(
  home: string,
  doing: string,
  target: string,
  step: () => Promise<T>,
): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (error instanceof LockLostError) throw error;
    if (error instanceof StaleBaseError) throw new LockLostError('file changed', { cause: error });
    if (GONE.includes(errnoOf(error) ?? '') && !(await seemsThere(home)))
      throw new LockLostError('lock lost', { cause: error });
    throw fileError(error, doing, target);
  }
}

async function addAll(
  home: string,
  homePath: string,
  ...[parent, entries, durability, onPlaced]: Parameters<HeldLock['addEntries']>
): Promise<Map<number, unknown>> {
  const stage = (pinned: PinnedFolder) => stageEntries(pinned, parent, entries, durability);
  const staged = await inFolder(homePath, stage);
  const failed = new Map<number, unknown>();
  await inFolder(parent, async (pinned) => {
    for (const [index, entry] of entries.entries()) {
      const outcome = staged[index];
      if (outcome === undefined) continue;
      try {
        if ('error' in outcome) throw outcome.error;
        // This path goes through the lock, so that the rename fails if the lock was lost.
        await placeEntry(join(home, entry.name), pinned, entry);
      } catch (error) {
        if (!(await seemsThere(home))) throw new LockLostError('lock lost', { cause: error });
        failed.set(index, fileError(error, 'write', join(parent, entry.name)));
        continue;
      }
      onPlaced(index, outcome.value);
    }
    if (!durability.fsync) return;
    await syncNames(pinned).catch((error: unknown) => {
      throw unconfirmed(parent, error);
    });
  });
  return failed;
}

async function removeThrough(home: string, target: string, durability: Durability): Promise<void> {
  const removed = join(home, 'removed');
  try {
    await inFolder(dirname(target), (folder) =>
      renameWithRetry(folder.at(basename(target)), removed),
    );
  } catch (error) {
    if (!(await seemsThere(home))) throw new LockLostError('lock lost', { cause: error });
    if (!GONE.includes(errnoOf(error) ?? '')) throw fileError(error, 'remove', target);
    return;
  }
  try {
    await rm(removed, { force: true }); // the release ignores errors
  } catch (error) {
    await putBack(removed, target);
    throw fileError(error, 'remove', target);
  }
  await confirmNames(dirname(target), `${target} was removed`, durability);
}

async function putBack(removed: string, target: string): Promise<void> {
  await inFolder(dirname(target), async (folder) => {
    const back = folder.at(basename(target));
    const isFree = lstatSync(back, { throwIfNoEntry: false }) === undefined;
    if (isFree) await renameWithRetry(removed, back);
  });
}

async function linkOrCopy(folder: PinnedFolder, source: string, target: string): Promise<void> {
  await rm(target, { force: true }); // from a step that failed
  try {
    linkSync(folder.at(basename(source)), target);
  } catch (error) {
    if (!isWithoutLinks(error)) throw error;
    copyRegular(source, target);
  }
}

/** Also true if that cannot be determined. Then the caller throws its own error. */
async function seemsThere(path: string): Promise<boolean> {
  return ignoreErrno(GONE, lstat(path)).then(
    (found) => found !== undefined,
    () => true,
  );
}
