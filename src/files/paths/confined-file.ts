/**
 * Resolves untrusted relative paths below a folder. It walks the path part by part, follows no link, and
 * refuses a name that only resembles the one on disk. The file that is read is the file that was found,
 * even if another program replaces it by a link in between.
 */
import { join } from 'node:path';
import { AppError, isAppError } from '../../base/errors.js';
import { type ReadFile, readWhole } from '../read/json-doc.js';
import { readStamp } from '../read/stamp.js';
import { confusableProblem, skeletonOf } from './confusables.js';
import { entriesOf } from './folders.js';
import { confinedPath } from './paths.js';

export interface ConfinedFile {
  /** Absolute. */
  readonly path: string;
  /** `other`: a folder, a pipe, a device. */
  readonly kind: 'file' | 'other' | 'absent';
}

/** PATH_ESCAPE for a name that leaves its folder on any platform. No file is touched. */
export function requireConfined(name: string): void {
  const problem = confusableProblem(name);
  if (problem !== undefined) throw escapes(name, problem);
  confinedPath('', name);
  confinedPath('', name.normalize('NFKC'));
}

/**
 * Finds the entry of that name (relative, with `/`) below `folder`, which itself may be a link.
 * PATH_ESCAPE: the name leaves the folder, a part of it is a link, or it only resembles an existing name.
 * VALIDATION_ERROR: a part that should be a folder is not one.
 */
export async function findConfined(folder: string, name: string): Promise<ConfinedFile> {
  requireConfined(name);
  const parts = name.split('/');
  const path = join(folder, ...parts);
  let at = folder;
  for (const [index, part] of parts.entries()) {
    const isLast = index === parts.length - 1;
    const entry = await entryOf(at, part, name);
    if (entry === undefined) return { path, kind: 'absent' };
    if (entry.isSymbolicLink()) throw escapes(name, `leads through a link (${part})`);
    if (isLast) return { path, kind: entry.isFile() ? 'file' : 'other' };
    if (!entry.isDirectory()) throw notAFolderError(part);
    at = join(at, part);
  }
  return { path, kind: 'absent' };
}

/** Returns its bytes and stamp. Throws like `findConfined` and `readPlain`. */
export async function readConfined(
  folder: string,
  name: string,
  maxBytes: number,
): Promise<ReadFile | undefined> {
  const { path, kind } = await findConfined(folder, name);
  return kind === 'absent' ? undefined : readPlain(path, name, maxBytes);
}

/**
 * Reads the file at an absolute path; the caller guarantees that no folder of the path is a link. PATH_ESCAPE
 * for a link, E_MB_READ for anything else that is not a regular file, TOO_LARGE above `maxBytes`.
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
      throw escapes(name, 'is a link, or is reached through a link', {
        hint: 'Daybook does not follow links there. Replace the link by the file itself, or remove the link.',
      });
    }
    if (isAppError(error, 'TOO_LARGE')) {
      throw tooLarge(name, Number((await readStamp(path))?.size ?? 0), maxBytes);
    }
    const isNoFile = isAppError(error, 'FILESYSTEM_ERROR') && error.cause === undefined;
    throw isNoFile ? notAFile(name) : error;
  }
}

async function entryOf(folder: string, part: string, name: string) {
  const listed = await entriesOf(folder, ['ENOENT', 'ENOTDIR']);
  const exact = listed.find((entry) => entry.name === part);
  if (exact !== undefined) return exact;
  const likeness = skeletonOf(part);
  const twin = listed.find((entry) => skeletonOf(entry.name) === likeness);
  if (twin === undefined) return undefined;
  throw escapes(
    name,
    `does not exist, but ${JSON.stringify(twin.name)} does, which looks almost the same`,
    {
      hint: 'Use the existing name exactly, or a name that looks different.',
      details: { name, twin: twin.name },
    },
  );
}

function escapes(name: string, problem: string, more: object = {}): AppError {
  const shown = JSON.stringify(name.slice(0, 200));
  return new AppError('PATH_ESCAPE', `The path ${shown} ${problem}.`, more);
}

function notAFolderError(part: string): AppError {
  return new AppError('VALIDATION_ERROR', `${JSON.stringify(part)} is a file, not a folder.`);
}

function notAFile(name: string): AppError {
  return new AppError('E_MB_READ', `${JSON.stringify(name)} is not a file.`, {
    details: { path: name },
  });
}

function tooLarge(name: string, sizeBytes: number, maxBytes: number): AppError {
  return new AppError(
    'TOO_LARGE',
    `${JSON.stringify(name)} has ${sizeBytes} bytes. At most ${maxBytes} bytes are allowed.`,
    { details: { path: name, sizeBytes, maxBytes } },
  );
}
