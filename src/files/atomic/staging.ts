/**
 * Temporary files. New content is written to a temporary file, checked, and then renamed to its target.
 * The name contains the id of the writing process, so that a later start can remove the files of dead
 * processes.
 */
import { lstatSync, rmSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DAY_MS, systemClock } from '../../base/clock.js';
import { errnoOf } from '../../base/errors.js';
import { randomHex } from '../../base/ids.js';
import { ABSENT, ignoreErrno, withFileError } from '../file-errors.js';
import { isHere, isOwnerName, isSurelyDead, ownerName } from '../locks/process-identity.js';
import { inFolder, type PinnedFolder } from '../safe-access/pinned-folder.js';
import { removeTree } from '../safe-access/remove-tree.js';

const TEMPORARY_NAME = /^\.tmp-(.+)-[0-9a-f]{8}$/;
/** No write takes this long. Older temporary files of processes on other machines are removed. */
const ABANDONED_MS = DAY_MS;
/** The errors of `link` if the file system, or this pair of paths, does not support hard links. */
const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EACCES', 'EXDEV'];

/** A new name for a temporary file: `.tmp-`, the name of this process, random digits. */
export const temporaryName = (): string => `.tmp-${ownerName()}-${randomHex(4)}`;

export const isTemporaryName = (name: string): boolean => TEMPORARY_NAME.test(name);

/** Removes the temporary file of a step that failed. If this fails too, the next sweep removes it. */
export function removeQuietly(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // The caller throws the error of the step that failed, which is the cause.
  }
}

/** Whether `link` failed only because hard links are not supported. Then a copy or a rename works. */
export const isWithoutLinks = (error: unknown): boolean => NO_LINKS.includes(errnoOf(error) ?? '');

/** Whether Daybook made the name. Another program may use the same prefix in its own folder. */
export const isDaybooksTemporaryName = (name: string): boolean =>
  isOwnerName(TEMPORARY_NAME.exec(name)?.[1] ?? '');

/**
 * Removes the temporary files and folders in `folder` whose process has ended. `temporaryIn` returns the temporary
 * name that is a part of a name. FILESYSTEM_ERROR.
 */
export async function sweepTemporaries(
  folder: string,
  temporaryIn: (name: string) => string = (name) => name,
): Promise<void> {
  await withFileError('sweep', folder, async () => {
    const sweep = inFolder(folder, async (pinned) => {
      for (const name of await readdir(pinned.path)) {
        if (isLeftBehind(pinned, name, temporaryIn(name))) await removeTree(pinned, name);
      }
    });
    await ignoreErrno(['ENOENT'], sweep);
  });
}

/** Paths of the temporary files that `sweepTemporaries` would remove. FILESYSTEM_ERROR. */
export async function leftBehindIn(folder: string): Promise<string[]> {
  return withFileError('inspect', folder, async () => {
    const listing = inFolder(folder, async (pinned) => {
      const names = await readdir(pinned.path);
      return names.filter((name) => isLeftBehind(pinned, name)).map((name) => join(folder, name));
    });
    return (await ignoreErrno(ABSENT, listing)) ?? [];
  });
}

function isLeftBehind(folder: PinnedFolder, name: string, temporary = name): boolean {
  const owner = TEMPORARY_NAME.exec(temporary)?.[1];
  if (owner === undefined) return false;
  if (isHere(owner)) return isSurelyDead(owner);
  const found = lstatSync(folder.at(name), { throwIfNoEntry: false });
  return found !== undefined && systemClock.now() - found.mtimeMs > ABANDONED_MS;
}
