/** Renames a file without replacing another one, also if other programs save it at the same moment. */
import { linkSync, readdirSync, renameSync, unlinkSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { errnoOf } from '../../base/errors.js';
import { withFileError } from '../file-errors.js';
import { isOneFile } from '../read/stamp.js';
import { requireReplaceable } from '../safe-access/open-regular.js';
import { inFolder, type PinnedFolder } from '../safe-access/pinned-folder.js';
import { confirmNames, type Durability } from './atomic-write.js';
import { publish } from './new-file-stream.js';
import { renameWithRetry } from './rename-with-retry.js';
import { removeQuietly, temporaryName } from './staging.js';

/**
 * Renames a file on the same file system, into a folder that exists. Durable when it resolves. If
 * another program saves the file under its old name meanwhile, that version gets the new name too. After
 * a crash the file may have both names; then the same call finishes the work. ALREADY_EXISTS (nothing was
 * changed), FILESYSTEM_ERROR.
 */
export async function renameFile(from: string, to: string, durability: Durability): Promise<void> {
  await withFileError('rename', from, async () => {
    await inFolder(dirname(from), (source) =>
      inFolder(dirname(to), async (target) => {
        const [old, renamed] = [source.at(basename(from)), target.at(basename(to))];
        const isRecased = isOneEntry(from, to);
        const isHalfDone = !isRecased && isOneFile(old, renamed);
        if (!isHalfDone) requireReplaceable(source, basename(from), from);
        if (isRecased) return renameWithRetry(old, renamed);
        if (!isHalfDone) await publish(old, target, to);
        removeOldName(source, basename(from), renamed);
      }),
    );
  });
  for (const each of [to, from])
    await confirmNames(dirname(each), `${from} was renamed to ${to}`, durability);
}

/**
 * True if both names are one entry of a folder, because the file system ignores upper and lower case. No link
 * can be made then, and a rename replaces no other file.
 */
function isOneEntry(from: string, to: string): boolean {
  if (!isOneFile(from, to)) return false;
  return dirname(from) === dirname(to) && !readdirSync(dirname(to)).includes(basename(to));
}

/**
 * Removes the old name of `to`. It first renames the file to a temporary name and then compares the two,
 * because another program may replace the file under its old name at any time. If it fails, the file has only
 * its old name again: Daybook does not write to a file that has names in two folders.
 */
function removeOldName(folder: PinnedFolder, name: string, to: string): void {
  const from = folder.at(name);
  const aside = folder.at(temporaryName());
  try {
    renameSync(from, aside);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return;
    if (isOneFile(from, to)) unlinkSync(to);
    throw error;
  }
  if (!isOneFile(aside, to)) {
    renameSync(aside, to);
    return;
  }
  try {
    unlinkSync(aside);
  } catch (error) {
    linkSync(to, from); // fails if another program has saved a file under the old name
    removeQuietly(aside);
    unlinkSync(to);
    throw error;
  }
}
