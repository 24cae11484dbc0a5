/**
 * Resolves untrusted relative paths below a folder, and reads the file there. It checks the path part by part
 * and follows no link. If another program replaces the file by a link after the check, the link is not
 * followed. name-twins.ts refuses a name that only looks like an existing name.
 */

import { basename, dirname, join } from 'node:path';
import { AppError, isAppError } from '../../base/errors.js';
import { ABSENT } from '../file-errors.js';
import { readStamp } from '../read/stamp.js';
import { type ReadFile, readWhole } from '../read/whole-file.js';
import { type EntryKind, kindOf } from '../safe-access/refusal-errors.js';
import { entriesOf } from './folders.js';
import { requireNoTwin } from './name-twins.js';
import { escapeError, requireConfined } from './path-confinement.js';

export interface ConfinedFile {
  /** The absolute path. */
  readonly path: string;
  readonly kind: EntryKind | 'absent';
}

/**
 * Finds the entry with the relative name `name` (with `/`) below `folder`, which itself may be a link.
 * PATH_ESCAPE: the name leaves the folder, a part of it is a link, or it only looks like an existing name.
 * VALIDATION_ERROR: a part that must be a folder is a file. `renamed`: the name of an entry that will be
 * renamed to `name`, and may differ from it in upper and lower case.
 */
export async function findConfined(
  folder: string,
  name: string,
  renamed?: string,
): Promise<ConfinedFile> {
  requireConfined(name);
  const parts = name.split('/');
  const path = join(folder, ...parts);
  let at = folder;
  for (const [index, part] of parts.entries()) {
    const isLast = index === parts.length - 1;
    const isRenamedHere = isLast && renamed !== undefined && dirname(renamed) === dirname(name);
    const own = isRenamedHere ? basename(renamed) : undefined;
    const entry = await entryOf(at, part, name, own);
    if (entry === undefined) return { path, kind: 'absent' };
    if (entry.isSymbolicLink()) throw escapeError(name, `leads through a link (${part})`);
    if (isLast) return { path, kind: kindOf(entry) };
    if (!entry.isDirectory()) throw notAFolderError(part);
    at = join(at, part);
  }
  return { path, kind: 'absent' };
}

/**
 * `name` with each part in the Unicode form (NFC or NFD) of the entry on the disk, which looks the same. A part
 * without one such entry stays as it is. It follows no link. PATH_ESCAPE as `findConfined`; FILESYSTEM_ERROR.
 */
export async function inStoredForm(folder: string, name: string): Promise<string> {
  requireConfined(name);
  const parts = name.split('/');
  let at = folder;
  for (const [index, part] of parts.entries()) {
    const listed = await entriesOf(at, ABSENT);
    const same = listed.filter((entry) => entry.name.normalize('NFC') === part.normalize('NFC'));
    const entry = same.length === 1 ? same[0] : same.find((each) => each.name === part);
    if (entry === undefined || entry.isSymbolicLink()) break;
    parts[index] = entry.name;
    at = join(at, entry.name);
  }
  return parts.join('/');
}

/** `undefined` if the file does not exist. Throws like `findConfined` and `readPlain`. */
export async function readConfined(
  folder: string,
  name: string,
  maxBytes: number,
): Promise<ReadFile | undefined> {
  const { path, kind } = await findConfined(folder, name);
  return kind === 'absent' ? undefined : readPlain(path, name, maxBytes);
}

/**
 * Reads the file at an absolute path of which no folder is a link. `name` is used in errors. Returns
 * `undefined` if the file does not exist. PATH_ESCAPE for a link, E_MB_READ for anything else that is not a
 * regular file, TOO_LARGE above `maxBytes`, FILESYSTEM_ERROR.
 */
export async function readPlain(
  path: string,
  name: string,
  maxBytes: number,
): Promise<ReadFile | undefined> {
  try {
    return await readWhole(path, maxBytes);
  } catch (error) {
    if (isAppError(error, 'PATH_ESCAPE')) {
      throw escapeError(name, 'is a link, or is reached through a link', {
        hint: 'Daybook does not follow links there. Replace the link by the file itself, or remove the link.',
      });
    }
    if (isAppError(error, 'TOO_LARGE')) {
      throw tooLarge(name, Number((await readStamp(path))?.size ?? 0), maxBytes);
    }
    const kind = isAppError(error, 'FILESYSTEM_ERROR') ? error.details?.['kind'] : undefined;
    throw kind === undefined ? error : notAFile(name, String(kind));
  }
}

async function entryOf(folder: string, part: string, name: string, own: string | undefined) {
  const listed = await entriesOf(folder, ABSENT);
  const exact = listed.find((entry) => entry.name === part);
  if (exact === undefined) requireNoTwin(listed, part, name, own);
  return exact;
}

function notAFolderError(part: string): AppError {
  return new AppError('VALIDATION_ERROR', `${JSON.stringify(part)} is a file, not a folder.`, {
    hint: 'Choose another path. Each part of it before the last one must be a folder.',
  });
}

function notAFile(name: string, kind: string): AppError {
  const isFolder = kind === 'folder';
  const rest = isFolder ? ', not a file.' : '. Daybook reads only regular files.';
  return new AppError('E_MB_READ', `${JSON.stringify(name)} is a ${kind}${rest}`, {
    hint: isFolder ? 'Give the path of a file.' : 'Move it to another place, or remove it.',
    details: { path: name, kind },
  });
}

function tooLarge(name: string, sizeBytes: number, maxBytes: number): AppError {
  return new AppError(
    'TOO_LARGE',
    `${JSON.stringify(name)} has ${sizeBytes} bytes. At most ${maxBytes} bytes are allowed.`,
    { details: { path: name, sizeBytes, maxBytes } },
  );
}
