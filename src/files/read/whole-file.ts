/**
 * Reads a whole file into memory, with the stamp of the version that was read. A sealed file is decrypted, except
 * by `readStored`. It never writes.
 */
import { fstatSync } from 'node:fs';
import { errnoOf } from '../../base/errors.js';
import { ABSENT, fileError, ignoreErrno, withFileError } from '../file-errors.js';
import { closeQuietly } from '../safe-access/close-quietly.js';
import { openHandle, openToRead } from '../safe-access/open-regular.js';
import { readBytes, readBytesNow, requireAtMost } from '../safe-access/read-bytes.js';
import { openFile, SEALED_FILE_BYTES } from '../sealing/sealed-form.js';
import { type Stamp, stampOf } from './stamp.js';

/** V8 has no strings of more than about 512 MB. Half of that leaves room to serialize the value again. */
export const MAX_DOCUMENT_BYTES = 256 * 1024 * 1024;

const MAX_SMALL_BYTES = 64 * 1024;
/** Reading a file of this size from the page cache takes less than a tenth of a millisecond. */
const MAX_BYTES_AT_ONCE = 256 * 1024;

export interface ReadFile {
  bytes: Buffer;
  /** The stamp of exactly the version that was read. */
  stamp: Stamp;
}

/**
 * Reads a whole file and decrypts it if it is sealed. Returns `undefined` if there is no such file.
 * PATH_ESCAPE if a part of the path is a link, FILESYSTEM_ERROR (also if it is not a regular file),
 * TOO_LARGE above `maxBytes`, DECRYPT.
 */
export async function readWhole(
  path: string,
  maxBytes = MAX_DOCUMENT_BYTES,
): Promise<ReadFile | undefined> {
  const found = await readStored(path, maxBytes + SEALED_FILE_BYTES);
  return found && openedAtMost(maxBytes, found, path);
}

/**
 * Like `readWhole`, for one file that a caller waits for. A small file is read synchronously, because the
 * thread pool takes several times as long. Do not use it for many files in a row: reads from the disk would
 * block the event loop.
 */
export async function readWholeAtOnce(path: string): Promise<ReadFile | undefined> {
  const found = smallStoredNow(path);
  return found === undefined ? readWhole(path) : openedAtMost(MAX_DOCUMENT_BYTES, found, path);
}

function openedAtMost(maxBytes: number, { bytes: stored, stamp }: ReadFile, path: string) {
  const bytes = openFile(stored, path);
  requireAtMost(bytes.byteLength, maxBytes, path);
  return { bytes, stamp };
}

/** Returns `undefined` for a large file, for a file with size 0, and after any error. */
function smallStoredNow(path: string): ReadFile | undefined {
  try {
    const opened = openToRead(path);
    const { size } = opened.stats;
    if (size > 0n && size <= MAX_BYTES_AT_ONCE)
      return { bytes: readBytesNow(opened, path, MAX_BYTES_AT_ONCE), stamp: stampOf(opened.stats) };
    closeQuietly(opened.number);
    return undefined;
  } catch {
    return undefined; // `readWhole` then throws the error
  }
}

/** Reads synchronously a file of at most 64 KB that is never sealed. Throws like `readWhole`. */
export function readSmallNow(path: string): ReadFile | undefined {
  try {
    const opened = openToRead(path);
    return { bytes: readBytesNow(opened, path, MAX_SMALL_BYTES), stamp: stampOf(opened.stats) };
  } catch (error) {
    const errno = errnoOf(error);
    if (ABSENT.includes(errno ?? '')) return undefined;
    throw errno === undefined ? error : fileError(error, 'read', path);
  }
}

/** Like `readWhole`, but does not decrypt: for copies, which stay sealed. */
export async function readStored(
  path: string,
  maxBytes = MAX_DOCUMENT_BYTES,
): Promise<ReadFile | undefined> {
  return withFileError('read', path, async () => {
    const handle = await ignoreErrno(ABSENT, openHandle(path));
    if (handle === undefined) return undefined;
    try {
      const stamp = stampOf(fstatSync(handle.fd, { bigint: true }));
      return { bytes: await readBytes(handle, Number(stamp.size), path, maxBytes), stamp };
    } finally {
      await handle.close();
    }
  });
}
