/**
 * The operations of a lock's owner (file-lock.ts acquires and releases the lock). Every change of a
 * file is a rename through the owner's own folder inside the lock. The rename fails once the lock is
 * lost, so a process that was paused cannot overwrite newer data.
 */
import { existsSync, linkSync, lstatSync } from 'node:fs';
import { lstat, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { AppError, errnoOf } from '../../base/errors.js';
import {
  type Durability,
  type ReplaceOptions,
  renameOnto,
  renameWithRetry,
  replaceThrough,
  StaleBaseError,
  syncFolder,
  syncNames,
  unconfirmed,
} from '../atomic/atomic-write.js';
import { type NewFolder, placeFolder, stageFolders } from '../atomic/new-folders.js';
import { isWithoutLinks } from '../atomic/staging.js';
import { fileError, ignoreErrno } from '../read/file-errors.js';
import { isSameFile, readStampNow, type Stamp } from '../read/stamp.js';
import { copyRegular, replaceable } from '../safe-access/open-regular.js';
import { inFolder, type PinnedFolder } from '../safe-access/pinned-folder.js';
import { notRegular } from '../safe-access/refusals.js';

/** The name of the mark that a waiting process makes in the owner's folder. */
export const WANTED = 'wanted';
const GONE = ['ENOENT'];

/** Thrown inside `withLock` when the lock was lost, or the file that was read has changed. The work then runs again. */
export class LockLostError extends Error {}

export interface LockedReplaceOptions extends ReplaceOptions {
  /**
   * This is the last operation under the lock: the lock is released after the rename, before the disk
   * has confirmed it. A later writer's fsync covers this rename. Callers that only read the new content
   * must fsync the target's folder themselves.
   */
  readonly isLast?: boolean;
}

export interface HeldLock {
  /**
   * Replaces `target` (on the lock's file system) with `bytes`, if the lock is still ours.
   * Durable when it resolves. If it throws, the target is unchanged, unless the error has
   * `details.unconfirmed`. An error of `onReplaced` is thrown at the end. If `base` is given and a
   * program without the lock (an editor) has changed the target since, the work runs again.
   */
  replace(
    target: string,
    bytes: Uint8Array,
    durability: Durability,
    options?: LockedReplaceOptions,
  ): Promise<Stamp>;
  /**
   * Makes `target` a second name of the file `source` (a copy where there are no hard links), if the
   * lock is still ours. Does nothing if there is no `source`. The name is durable when it resolves.
   */
  keep(source: string, target: string, durability: Durability): Promise<void>;
  /** Removes a file, if the lock is still ours. Does nothing if there is no such file. */
  remove(target: string): Promise<void>;
  /** Like `replace`, with a file that was written and synced before: for content too large for memory. */
  place(stage: string, target: string, durability: Durability): Promise<void>;
  /**
   * Adds new folders to `parent`, each whole or not at all, if the lock is still ours. Calls `onPlaced` for
   * each that is in place; returns the error of each that is not (ALREADY_EXISTS: its name is taken). When it
   * resolves, all that were ever placed are durable. After LockLostError call it again with those that are
   * not in place.
   */
  addFolders(
    parent: string,
    folders: readonly NewFolder[],
    durability: Durability,
    onPlaced: (index: number, stamp: Stamp) => void,
  ): Promise<Map<number, unknown>>;
  /** Whether the lock is still ours. For appends, which have no rename that would fail. */
  isOurs(): boolean;
  /** Whether another process waits for it. */
  isWanted(): boolean;
}

/**
 * `home`: the owner's folder inside the lock, as a path for system calls; `homePath`: its real path; `leave`
 * gives the lock back.
 */
export function heldLock(home: string, homePath: string, leave: () => void): HeldLock {
  const wanted = join(home, WANTED);
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
            if (isLast) leave();
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
    async keep(source, target, durability) {
      requireHeld();
      const [from, to] = [readStampNow(source), readStampNow(target)];
      if (from === undefined || (to !== undefined && isSameFile(from, to))) return;
      await whileLockHeld(home, 'keep', target, async () => {
        await inFolder(dirname(source), (folder) => {
          replaceable(folder, basename(source), source);
          return linkOrCopy(folder, source, join(home, 'stage'));
        });
        // A link may have taken the name since: `link` makes a second name of the link itself.
        const staged = lstatSync(join(home, 'stage'));
        if (!staged.isFile()) throw notRegular(source, staged);
        await renameOnto(join(home, 'stage'), target);
        await syncFolder(dirname(target), durability);
      });
    },
    async remove(target) {
      requireHeld();
      try {
        await inFolder(dirname(target), (folder) =>
          renameWithRetry(folder.at(basename(target)), join(home, 'removed')),
        );
      } catch (error) {
        if (!(await seemsThere(home))) throw new LockLostError('lock lost', { cause: error });
        if (!GONE.includes(errnoOf(error) ?? '')) throw fileError(error, 'remove', target);
      }
    },
    async place(stage, target, durability) {
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
    addFolders(parent, folders, durability, onPlaced) {
      requireHeld();
      const adding = () => addFolders(home, homePath, { parent, folders, durability, onPlaced });
      return whileLockHeld(home, 'write', parent, adding);
    },
    // A folder that cannot be read counts as lost: then the work runs again.
    isOurs: () => existsSync(home),
    isWanted: () => existsSync(wanted),
  };
}

/** Runs a step that only the owner can do. LockLostError if it failed because the lock was lost. */
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

interface FoldersToAdd {
  readonly parent: string;
  readonly folders: readonly NewFolder[];
  readonly durability: Durability;
  onPlaced(index: number, stamp: Stamp): void;
}

async function addFolders(
  home: string,
  homePath: string,
  { parent, folders, durability, onPlaced }: FoldersToAdd,
): Promise<Map<number, unknown>> {
  const staged = await inFolder(homePath, (pinned) =>
    stageFolders(pinned, parent, folders, durability),
  );
  const failed = new Map<number, unknown>();
  await inFolder(parent, async (pinned) => {
    for (const [index, { name }] of folders.entries()) {
      const outcome = staged[index];
      if (outcome === undefined) continue;
      try {
        if ('error' in outcome) throw outcome.error;
        // Through the path of the lock, so that the rename fails once the lock is lost.
        await placeFolder(join(home, name), pinned, name);
      } catch (error) {
        if (!(await seemsThere(home))) throw new LockLostError('lock lost', { cause: error });
        failed.set(index, fileError(error, 'write', join(parent, name)));
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

async function linkOrCopy(folder: PinnedFolder, source: string, target: string): Promise<void> {
  await rm(target, { force: true }); // from a step that failed
  try {
    linkSync(folder.at(basename(source)), target);
  } catch (error) {
    if (!isWithoutLinks(error)) throw error;
    copyRegular(source, target);
  }
}

/** True if that cannot be determined, so that the caller throws the error that it has. */
async function seemsThere(path: string): Promise<boolean> {
  return ignoreErrno(GONE, lstat(path)).then(
    (found) => found !== undefined,
    () => true,
  );
}
