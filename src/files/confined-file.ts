/**
 * Files that outsiders name: found part by part below a folder, following no link anywhere on the
 * way, and never by a name that only resembles the one on disk. What is read is the file that was
 * found, also where somebody puts a link in its place in between.
 */
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../base/errors.js';
import { reporting, unless } from './file-errors.js';
import { type ReadFile, readWhole } from './json-doc.js';
import { likenessOf, problemWithSpelling } from './look-alikes.js';
import { confinedPath } from './paths.js';
import { isSameFile } from './stamp.js';

const MOST_TRIES = 5;

export interface ConfinedFile {
  /** Absolute. */
  readonly path: string;
  /** `other`: a folder, a pipe, a device. */
  readonly kind: 'file' | 'other' | 'absent';
}

/** PATH_ESCAPE for a name that leaves its folder in anybody's reading of it. No file is touched. */
export function requireConfined(name: string): void {
  const problem = problemWithSpelling(name);
  if (problem !== undefined) throw escapes(name, problem);
  confinedPath('', name);
  confinedPath('', name.normalize('NFKC'));
}

/**
 * What has that name (relative, with `/`) below `folder`, which itself may be a link. PATH_ESCAPE: the
 * name leaves the folder, a part of it is a link, or it only resembles one that is there;
 * VALIDATION_ERROR: a part that should be a folder is none.
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
    if (!entry.isDirectory()) throw notAFolder(part);
    at = join(at, part);
  }
  return { path, kind: 'absent' };
}

/** Its bytes and stamp. Throws like `findConfined` and `readPlain`. */
export async function readConfined(
  folder: string,
  name: string,
  maxBytes: number,
): Promise<ReadFile | undefined> {
  const { path, kind } = await findConfined(folder, name);
  return kind === 'absent' ? undefined : readPlain(path, name, maxBytes);
}

/**
 * The file at an absolute path whose folders are known to be no links. PATH_ESCAPE for a link,
 * E_MB_READ for another thing that is no file, TOO_LARGE above `maxBytes`.
 */
export async function readPlain(
  path: string,
  name: string,
  maxBytes: number,
): Promise<ReadFile | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    const found = await reporting('look at', path, () =>
      unless(['ENOENT', 'ENOTDIR'], lstat(path, { bigint: true })),
    );
    if (found === undefined) return undefined;
    if (found.isSymbolicLink()) throw escapes(name, 'is a link');
    if (!found.isFile()) throw notAFile(name);
    if (found.size > maxBytes) throw tooLarge(name, Number(found.size), maxBytes);
    const read = await readWhole(path);
    // Else it was replaced in between, perhaps by a link.
    if (read !== undefined && isSameFile(read.stamp, found)) return read;
    if (attempt === MOST_TRIES) throw escapes(name, 'changed each time it was looked at');
  }
}

async function entryOf(folder: string, part: string, name: string) {
  const listed = await reporting('list', folder, () =>
    unless(['ENOENT', 'ENOTDIR'], readdir(folder, { withFileTypes: true })),
  );
  const exact = listed?.find((entry) => entry.name === part);
  if (exact !== undefined) return exact;
  const likeness = likenessOf(part);
  const twin = listed?.find((entry) => likenessOf(entry.name) === likeness);
  if (twin === undefined) return undefined;
  throw escapes(name, `is not, but resembles, what is there: ${JSON.stringify(twin.name)}`, {
    hint: 'Use the name exactly as it is there, or one that nobody can mistake for it.',
    details: { name, twin: twin.name },
  });
}

function escapes(name: string, problem: string, more: object = {}): AppError {
  const shown = JSON.stringify(name.slice(0, 200));
  return new AppError('PATH_ESCAPE', `The path ${shown} ${problem}.`, more);
}

function notAFolder(part: string): AppError {
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
    `${JSON.stringify(name)} has ${sizeBytes} bytes; the most is ${maxBytes}.`,
    { details: { path: name, sizeBytes, maxBytes } },
  );
}
