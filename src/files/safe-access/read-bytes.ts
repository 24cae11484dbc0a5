/**
 * Reads the bytes of a regular file. The size from `stat` is used only to allocate the buffer; the limit is
 * checked with the number of bytes that were read.
 */
import { readFileSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { AppError } from '../../base/errors.js';
import { closeQuietly } from './close-quietly.js';
import type { OpenedFile } from './open-regular.js';

/** The first buffer for files with size 0, such as those in /proc. */
const SMALLEST_ROOM = 4096;

/** Returns all bytes. `sizeBytes`: the size from `stat`. TOO_LARGE if there are more than `maxBytes`. */
export async function readBytes(
  handle: FileHandle,
  sizeBytes: number,
  path: string,
  maxBytes: number,
): Promise<Buffer> {
  requireAtMost(sizeBytes, maxBytes, path);
  let buffer = Buffer.allocUnsafe(sizeBytes || Math.min(SMALLEST_ROOM, maxBytes + 1));
  for (let length = 0; ; ) {
    const { bytesRead } = await handle.read(buffer, length, buffer.byteLength - length, length);
    length += bytesRead;
    // Bytes that are appended after the file was opened belong to another version.
    if (bytesRead === 0 || length === sizeBytes) return buffer.subarray(0, length);
    requireAtMost(length, maxBytes, path);
    if (length < buffer.byteLength) continue;
    buffer = Buffer.concat([buffer], Math.min(2 * length, maxBytes + 1));
  }
}

/** Reads all bytes synchronously and closes the file. TOO_LARGE. */
export function readBytesNow({ number, stats }: OpenedFile, path: string, maxBytes: number) {
  try {
    requireAtMost(Number(stats.size), maxBytes, path);
    return readFileSync(number);
  } finally {
    closeQuietly(number);
  }
}

/** TOO_LARGE if `sizeBytes` is greater than `maxBytes`. */
export function requireAtMost(sizeBytes: number, maxBytes: number, path: string): void {
  if (sizeBytes <= maxBytes) return;
  throw new AppError('TOO_LARGE', `${path} is larger than ${maxBytes} bytes.`, {
    details: { path, maxBytes },
  });
}
