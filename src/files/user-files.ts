/**
 * Small files of the user's own configuration folder, and making folders for the command line.
 * Not for live data: stores use the durable layer with its lock.
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { AppError, errnoOf } from '../base/errors.js';
import { randomHex } from '../base/ids.js';

/** The text of a file, `undefined` when there is none. FILESYSTEM_ERROR when it cannot be read. */
export function readTextIfPresent(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const errno = errnoOf(cause);
    if (errno === 'ENOENT' || errno === 'ENOTDIR') return undefined;
    throw new AppError('FILESYSTEM_ERROR', `${path} cannot be read (${errno}).`, { cause });
  }
}

/** Makes the folder and those above it, readable by this user only. FILESYSTEM_ERROR. */
export function makePrivateFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new AppError('FILESYSTEM_ERROR', `${path} cannot be made (${errnoOf(cause)}).`, {
      cause,
    });
  }
}

/** Replaces a file as a whole, its folder made if need be. FILESYSTEM_ERROR. */
export function replaceText(path: string, content: string): void {
  makePrivateFolder(dirname(path));
  const staging = `${path}.${randomHex(4)}.tmp`;
  try {
    writeFileSync(staging, content, { mode: 0o600, flush: true });
    renameSync(staging, path);
  } catch (cause) {
    throw new AppError('FILESYSTEM_ERROR', `${path} cannot be written (${errnoOf(cause)}).`, {
      cause,
    });
  }
}
