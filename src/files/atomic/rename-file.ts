/** Renames a file without replacing another one, also if other programs save it at the same moment. */
import { lstatSync, readdirSync, renameSync, unlinkSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { errnoOf } from '../../base/errors.js';
import { withFileError } from '../file-errors.js';
import { requireReplaceable } from '../safe-access/open-regular.js';
import { inFolder, type PinnedFolder } from '../safe-access/pinned-folder.js';
import { type Durability, syncFolder } from './atomic-write.js';
import { publish } from './new-file-stream.js';
import { renameWithRetry } from './rename-with-retry.js';
import { temporaryName } from './staging.js';

/**
 * Renames a file on the same file system, into a folder that exists. Durable when it resolves. If
 * another program saves the file under its old name meanwhile, that version gets the new name too. After
 * a crash the file may have both names. ALREADY_EXISTS (nothing was changed), FILESYSTEM_ERROR.
 */
export async function renameFile(from: string, to: string, durability: Durability): Promise<void> {
  await withFileError('rename', from, async () => {
    await inFolder(dirname(from), (source) =>
      inFolder(dirname(to), async (target) => {
        requireReplaceable(source, basename(from), from);
        if (isOneEntry(from, to))
          return renameWithRetry(source.at(basename(from)), target.at(basename(to)));
        await publish(source.at(basename(from)), target, to);
        removeOldName(source, basename(from), target.at(basename(to)));
      }),
    );
  });
  await syncFolder(dirname(to), durability);
  await syncFolder(dirname(from), durability);
}

/**
 * True if both names are one entry of a folder, because the file system ignores upper and lower case. No link
 * can be made then, and a rename replaces no other file.
 */
function isOneEntry(from: string, to: string): boolean {
  const [old, found] = [statAt(from), statAt(to)];
  if (old === undefined || old.ino !== found?.ino || old.dev !== found.dev) return false;
  return dirname(from) === dirname(to) && !readdirSync(dirname(to)).includes(basename(to));
}

/**
 * Removes the old name of `to`. It first renames the file to a temporary name and then compares the two,
 * because another program may replace the file under its old name at any time.
 */
function removeOldName(folder: PinnedFolder, name: string, to: string): void {
  const aside = folder.at(temporaryName());
  try {
    renameSync(folder.at(name), aside);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return;
    throw error;
  }
  const [old, copy] = [statAt(aside), statAt(to)];
  const isSame = old?.ino === copy?.ino && old?.dev === copy?.dev;
  if (isSame) unlinkSync(aside);
  else renameSync(aside, to);
}

const statAt = (path: string) => lstatSync(path, { bigint: true, throwIfNoEntry: false });
