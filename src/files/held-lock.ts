/**
 * What an owner of the write lock can do with it (file-lock.ts takes and leaves it). Every change of a
 * file goes through the owner's own folder inside the lock, by a rename that fails once the lock was
 * taken away: a process that was paused and deposed cannot overwrite what came after it.
 */
import { existsSync, linkSync, renameSync } from 'node:fs';
import { copyFile, lstat, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AppError, errnoOf } from '../base/errors.js';
import {
  type Durability,
  type ReplaceOptions,
  renameWithRetry,
  replaceThrough,
  Superseded,
  syncFolder,
  unconfirmed,
} from './atomic-write.js';
import { fileError, unless } from './file-errors.js';
import { readStampNow, type Stamp } from './stamp.js';

/** The mark that a waiting process leaves in the owner's folder. */
export const WANTED = 'wanted';
const GONE = ['ENOENT'];

/** Thrown inside `withLock` when what was read does not count any more; its work then runs again. */
export class Deposed extends Error {}

export interface LockedReplaceOptions extends ReplaceOptions {
  /**
   * Nothing more is done under the lock: it is left as soon as the new content has the name, while
   * the disk still confirms it. Whoever comes next and replaces it makes it durable with its own;
   * whoever only relies on it must sync the target's folder before it says so.
   */
  readonly isLast?: boolean;
}

export interface HeldLock {
  /**
   * Replaces `target` (on the lock's file system) with `bytes`, if the lock is still ours.
   * Durable when it resolves; otherwise the target is as it was, unless the error says that the disk
   * did not confirm it. What `onReplaced` throws comes out in the end. Where `base` is given and
   * somebody without the lock (an editor) has changed the target since, the work runs again on the
   * new one.
   */
  replace(
    target: string,
    bytes: Uint8Array,
    durability: Durability,
    options?: LockedReplaceOptions,
  ): Promise<Stamp>;
  /**
   * Gives the content of `source` the name `target` as well (a copy where there are no hard links), if
   * the lock is still ours; a source that is not there is fine.
   */
  keep(source: string, target: string): Promise<void>;
  /** Takes a file away, if the lock is still ours; one that is not there is fine. */
  remove(target: string): Promise<void>;
  /** The same for a file that was written and synced beforehand, for contents too large to hold. */
  place(stage: string, target: string, durability: Durability): Promise<void>;
  /** For appends, which no rename can fence: whether the lock is still ours now. */
  isOurs(): boolean;
  /** Whether another process waits for it. */
  isWanted(): boolean;
}

/** `home`: the owner's folder inside the lock; `leave` gives the lock back. */
export function heldLock(home: string, leave: () => void): HeldLock {
  const wanted = join(home, WANTED);
  let isLeft = false;
  const requireHeld = () => {
    if (isLeft) throw new AppError('INTERNAL', 'Something was done under a lock that was left.');
  };
  return {
    async replace(target, bytes, durability, { base, onReplaced, isLast = false } = {}) {
      requireHeld();
      const failures: unknown[] = [];
      const stamp = await fenced(home, 'write', target, () =>
        replaceThrough(join(home, 'stage'), target, bytes, durability, {
          base,
          onReplaced(written) {
            isLeft = isLast;
            if (isLast) leave();
            try {
              onReplaced?.(written);
            } catch (error) {
              failures.push(error); // says nothing about the write
            }
          },
        }),
      );
      for (const failure of failures) throw failure;
      return stamp;
    },
    async keep(source, target) {
      requireHeld();
      if (readStampNow(source) === undefined) return;
      await fenced(home, 'keep', target, async () => {
        await linkOrCopy(source, join(home, 'stage'));
        await renameWithRetry(join(home, 'stage'), target);
      });
    },
    async remove(target) {
      requireHeld();
      try {
        await renameWithRetry(target, join(home, 'removed'));
      } catch (error) {
        if (!(await seemsThere(home))) throw new Deposed('deposed', { cause: error });
        if (!GONE.includes(errnoOf(error) ?? '')) throw fileError(error, 'remove', target);
      }
    },
    async place(stage, target, durability) {
      requireHeld();
      await fenced(home, 'write', target, async () => {
        renameSync(stage, join(home, 'stage'));
        await renameWithRetry(join(home, 'stage'), target);
      });
      await syncFolder(dirname(target), durability).catch((error: unknown) => {
        throw unconfirmed(target, error);
      });
    },
    // A folder that cannot be looked at counts as gone: then the work begins again.
    isOurs: () => existsSync(home),
    isWanted: () => existsSync(wanted),
  };
}

/** Runs a step that only an owner can do; Deposed where it failed because we are none any more. */
async function fenced<T>(
  home: string,
  doing: string,
  target: string,
  step: () => Promise<T>,
): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (error instanceof Superseded) throw new Deposed('superseded', { cause: error });
    if (GONE.includes(errnoOf(error) ?? '') && !(await seemsThere(home)))
      throw new Deposed('deposed', { cause: error });
    throw fileError(error, doing, target);
  }
}

/** What file systems without hard links answer to one. */
const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EACCES', 'EXDEV'];

async function linkOrCopy(source: string, target: string): Promise<void> {
  await rm(target, { force: true }); // of a step that failed
  try {
    linkSync(source, target);
  } catch (error) {
    if (!NO_LINKS.includes(errnoOf(error) ?? '')) throw error;
    await copyFile(source, target);
  }
}

/** Where it cannot be told: yes, so that the error at hand is reported as it is. */
async function seemsThere(path: string): Promise<boolean> {
  return unless(GONE, lstat(path)).then(
    (found) => found !== undefined,
    () => true,
  );
}
