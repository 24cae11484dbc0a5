/**
 * Files that the user names: on the command line, in the settings, or by being the user's own
 * configuration. They may be links, as people keep their settings in other folders. Opening one never
 * waits, and anything that is not a regular file is refused. Files below Daybook's folders: open-regular.ts.
 */
import { constants, createReadStream, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { AppError } from '../../base/errors.js';
import { fileError } from '../read/file-errors.js';
import { closeQuietly } from './close-quietly.js';
import { notRegularFileError } from './refusals.js';

const { O_RDONLY, O_NONBLOCK = 0 } = constants;
/** Settings are written by hand. */
const MAX_TEXT_BYTES = 16 * 1024 * 1024;

/** The text of a small file. TOO_LARGE, FILESYSTEM_ERROR (no regular file), or the system's error. */
export function readGivenText(path: string): string {
  const file = openGiven(path);
  try {
    if (fstatSync(file).size <= MAX_TEXT_BYTES) return readFileSync(file, 'utf8');
    throw new AppError('TOO_LARGE', `${path} is larger than 16 MB.`, { details: { path } });
  } finally {
    closeQuietly(file);
  }
}

/** The same for a file that there must be: FILESYSTEM_ERROR in place of the system's error. */
export function requireGivenText(path: string): string {
  try {
    return readGivenText(path);
  } catch (error) {
    throw fileError(error, 'read', path);
  }
}

/** Its first bytes, fewer where it has no more. Throws like `readGivenText`. */
export function readGivenStart(path: string, length: number): Buffer {
  const file = openGiven(path);
  try {
    const buffer = Buffer.alloc(length);
    return buffer.subarray(0, readSync(file, buffer, 0, length, 0));
  } finally {
    closeQuietly(file);
  }
}

/** All of it, piece by piece. Throws like `readGivenText`. */
export function streamGiven(path: string): Readable {
  return createReadStream(path, { fd: openGiven(path) });
}

function openGiven(path: string): number {
  const file = openSync(path, O_RDONLY | O_NONBLOCK);
  const stats = fstatSync(file);
  if (stats.isFile()) return file;
  closeQuietly(file);
  throw notRegularFileError(path, stats);
}
