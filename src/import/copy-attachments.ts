/**
 * Copies images and files of an export into the folder of the conversation that names them, below
 * `attachments/` and under the names that they have in the export. An existing file is not overwritten.
 */
import { dirname, join } from 'node:path';
import { isAppError, passes } from '../base/errors.js';
import { makeFolder } from '../files/atomic/atomic-write.js';
import { writeNewStoredFile } from '../files/atomic/new-file-stream.js';
import type { InputFile } from '../files/input/input-types.js';
import { requireConfined } from '../files/paths/path-confinement.js';
import { readStamp } from '../files/read/stamp.js';
import { isSealedWhole } from '../files/sealing/open-stores.js';
import { SEALED_FILE_BYTES } from '../files/sealing/sealed-form.js';
import { attachmentsIn } from '../stores/conversations/files/attachments.js';
import { addProblem, differsHere, type ImportOutcome } from './import-outcome.js';
import { plainName } from './reading/documents/note-paths.js';

export interface AttachmentTarget {
  /** Absolute path of the conversation's folder. */
  readonly folder: string;
  readonly outcome: ImportOutcome;
  readonly dryRun: boolean;
  /** Throws STORAGE_FULL if the store would exceed its limit with `moreBytes` more. */
  readonly requireRoom?: ((moreBytes: number) => Promise<void>) | undefined;
}

/**
 * Durable when it resolves. An error of one file is reported as a problem of that file; STORAGE_FULL ends
 * the import.
 */
export async function copyAttachments(
  files: readonly InputFile[],
  { folder, outcome, ...options }: AttachmentTarget,
): Promise<void> {
  for (const file of files) {
    try {
      const isNew = await copy(file, attachmentsIn(folder), options);
      if (isNew) outcome.attachments += 1;
    } catch (error) {
      if (!isAppError(error) || error.code === 'STORAGE_FULL') throw error;
      addProblem(outcome, { path: file.name }, error);
    }
  }
}

/** Returns false if the file exists already. ALREADY_EXISTS if another file has its path, and what writing throws. */
async function copy(
  file: InputFile,
  folder: string,
  { dryRun, requireRoom }: Pick<AttachmentTarget, 'dryRun' | 'requireRoom'>,
): Promise<boolean> {
  const target = join(folder, safeName(file.name));
  if (await isThere(target, file)) return false;
  if (dryRun) return true;
  await requireRoom?.(file.sizeBytes);
  await makeFoldersIn(folder, dirname(target));
  try {
    await writeNewStoredFile(target, file.bytes(), { fsync: true });
    return true;
  } catch (error) {
    // The conversation is in the import twice, so the file was copied twice at the same time.
    if (isAppError(error, 'ALREADY_EXISTS') && (await isThere(target, file))) return false;
    throw error;
  }
}

/**
 * FILESYSTEM_ERROR if the folder of the conversation is missing: if another process has moved it to the trash, it must
 * not be made again, or the conversation could not be restored.
 */
async function makeFoldersIn(attachments: string, folder: string): Promise<void> {
  if (folder !== attachments) await makeFoldersIn(attachments, dirname(folder));
  await makeFolder(folder, { fsync: true }, false);
}

/** ALREADY_EXISTS if another file is there. */
async function isThere(target: string, { sizeBytes }: InputFile): Promise<boolean> {
  const there = await readStamp(target);
  if (there === undefined) return false;
  if (storedSizes(target, sizeBytes).includes(Number(there.size))) return true;
  throw differsHere(target);
}

/** In an encrypted store the file may not be encrypted yet: people may add files. */
const storedSizes = (target: string, sizeBytes: number): number[] =>
  isSealedWhole(target) ? [sizeBytes, sizeBytes + SEALED_FILE_BYTES] : [sizeBytes];

/** Returns the name in the export, with every part made plain if a restore of a backup would refuse the name. */
function safeName(name: string): string {
  const parts = name.split('/');
  const isSafe = passes(() => requireConfined(name)) && !/(^|\/)\./.test(name);
  return join(...(isSafe ? parts : parts.map(plainName)));
}
