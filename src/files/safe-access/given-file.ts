/**
 * Reads files whose path the user gave: on the command line, in the settings, or in the user's
 * configuration folder. They may be links, because people keep their settings in other folders. Only regular
 * files are read, and opening does not wait for a pipe. For files in Daybook's folders, use open-regular.ts.
 */
import { constants, createReadStream, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { AppError, errnoOf } from '../../base/errors.js';
import { ABSENT, fileError } from '../file-errors.js';
import { closeQuietly } from './close-quietly.js';
import { notRegularFileError } from './refusal-errors.js';

const { O_RDONLY, O_NONBLOCK = 0 } = constants;
/** Such files are written by hand and are small. */
const MAX_TEXT_BYTES = 16 * 1024 * 1024;

/** At most 16 MB. TOO_LARGE, FILESYSTEM_ERROR (not a regular file), or the system's error. */
export function readGivenText(path: string): string {
  const file = openGiven(path);
  try {
    if (fstatSync(file).size <= MAX_TEXT_BYTES) return readFileSync(file, 'utf8');
    throw new AppError('TOO_LARGE', `${path} is larger than 16 MB.`, { details: { path } });
  } finally {
    closeQuietly(file);
  }
}

/** Like `readGivenText`, but FILESYSTEM_ERROR instead of the system's own error, also if there is no file. */
export function requireGivenText(path: string): string {
  try {
    return readGivenText(path);
  } catch (error) {
    throw fileError(error, 'read', path);
  }
}

/** Like `requireGivenText`, but returns `undefined` if there is no such file. */
export function readTextIfPresent(path: string): string | undefined {
  try {
    return readGivenText(path);
  } catch (error) {
    if (ABSENT.includes(errnoOf(error) ?? '')) return undefined;
    throw fileError(error, 'read', path);
  }
}

/** Returns the first `length` bytes, or fewer if the file is shorter. Throws like `readGivenText`. */
export function readGivenStart(path: string, length: number): Buffer {
  const file = openGiven(path);
  try {
    const buffer = Buffer.alloc(length);
    return buffer.subarray(0, readSync(file, buffer, 0, length, 0));
  } finally {
    closeQuietly(file);
  }
}

/** Streams the whole file. Throws like `readGivenText`. */
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
