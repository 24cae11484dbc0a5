/**
 * Changes a file of the user that other programs read and write too, such as the configuration of a
 * client. It keeps a copy of the old file, the mode and the owner (write-file-atomic), and replaces the
 * target of a link, not the link. The file is replaced as a whole, and only if no other program has
 * changed it since it was read.
 */
import { constants } from 'node:fs';
import { copyFile, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import { AppError, undefinedIfUnreadable } from '../../base/errors.js';
import { changedMeanwhileError, diskFullError, withFileError } from '../file-errors.js';
import { isSameStamp, readStamp, type Stamp } from '../read/stamp.js';
import { readGivenText } from '../safe-access/given-file.js';
import { resolveRealPath } from '../safe-access/real-path.js';
import { confirmNames } from './atomic-write.js';
import { addFile } from './new-file-stream.js';
import {
  isDaybooksTemporaryName,
  removeQuietly,
  sweepTemporaries,
  temporaryName,
} from './staging.js';

/**
 * Replaces the text of a file by the result of `change`, which gets an empty text if there is no file.
 * Durable when it resolves. Returns the path of the copy of the old file (`<file>.<suffix>`), or
 * `undefined` if there was no file. FILESYSTEM_ERROR, also if the file is read-only or the copy exists
 * already. CONFLICT or ALREADY_EXISTS if another program wrote the file meanwhile. After an error the file
 * is unchanged, unless the error has `details.unconfirmed`; then the copy is there.
 */
export async function changeUserFile(
  path: string,
  change: (text: string) => string,
  suffix: string,
): Promise<string | undefined> {
  return withFileError('write', path, async () => {
    const target = resolveRealPath(path);
    await undefinedIfUnreadable(sweepLeft(target));
    const base = await readStamp(target);
    if (base === undefined) {
      await addFile(target, Buffer.from(change('')), { fsync: true });
      return undefined;
    }
    const { mode } = await stat(target);
    if ((mode & WRITABLE) === 0) throw readOnly(target);
    const changed = Buffer.from(change(readGivenText(target)));
    const copy = `${target}.${suffix}`;
    await copyFile(target, copy, constants.COPYFILE_EXCL);
    try {
      await replaceUserFile(target, changed, base);
    } catch (error) {
      await rm(copy, { force: true }); // the change was not made
      throw error;
    }
    await confirmNames(dirname(target), `${target} was changed`, { fsync: true });
    return copy;
  });
}

/** Removes what killed processes left: new files, stages, and what write-file-atomic would have renamed to those. */
function sweepLeft(target: string): Promise<void> {
  const prefix = `${basename(target)}.`;
  return sweepTemporaries(dirname(target), (name) => {
    const rest = name.startsWith(prefix) ? name.slice(prefix.length).replace(/\.\d+$/, '') : name;
    return isDaybooksTemporaryName(rest) ? rest : '';
  });
}

/** The write permissions. Root could write without them, but the owner made the file read-only. */
const WRITABLE = 0o222;

/**
 * Adds a step that write-file-atomic does not have: it checks the size before the rename, because a write to
 * a full disk can be incomplete without an error. The caller fsyncs the folder.
 */
async function replaceUserFile(target: string, bytes: Buffer, base: Stamp): Promise<void> {
  const { mode, uid, gid } = await stat(target);
  const stage = `${target}.${temporaryName()}`;
  try {
    await writeFileAtomic(stage, bytes, {
      mode: mode & 0o777,
      fsync: true,
      // Only root may set the owner of a file.
      ...(process.getuid?.() === 0 && { chown: { uid, gid } }),
    });
    const { size } = await stat(stage);
    if (size !== bytes.byteLength) throw diskFullError(target, size, bytes.byteLength);
    if (!isSameStamp(await readStamp(target), base)) throw changedMeanwhileError(target);
    await rename(stage, target);
  } catch (error) {
    removeQuietly(stage);
    throw error;
  }
}

function readOnly(path: string): AppError {
  return new AppError('FILESYSTEM_ERROR', `${path} is read-only.`, {
    hint: 'The file was not changed. If you want Daybook to change it, make it writable first (chmod u+w).',
    details: { path },
  });
}
