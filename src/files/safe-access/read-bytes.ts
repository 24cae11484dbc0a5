/**
 * The bytes of a regular file, counted as they are read: what `stat` says is believed for making room,
 * never for a limit.
 */
import { readFileSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { AppError } from '../../base/errors.js';
import { closeQuietly } from './close-quietly.js';
import type { OpenedFile } from './open-regular.js';

/** For files that show no size. */
const SMALLEST_ROOM = 4096;

/** All bytes. `sizeBytes` is what the file showed. TOO_LARGE where there are more than `maxBytes`. */
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
    // All that it had when it was opened; what is added meanwhile belongs to another version.
    if (bytesRead === 0 || length === sizeBytes) return buffer.subarray(0, length);
    requireAtMost(length, maxBytes, path);
    if (length < buffer.byteLength) continue;
    buffer = Buffer.concat([buffer], Math.min(2 * length, maxBytes + 1));
  }
}

/** All bytes of a small file at once. Closes it. TOO_LARGE. */
export function readBytesNow({ number, stats }: OpenedFile, path: string, maxBytes: number) {
  try {
    requireAtMost(Number(stats.size), maxBytes, path);
    return readFileSync(number);
  } finally {
    closeQuietly(number);
  }
}

/** TOO_LARGE. */
export function requireAtMost(sizeBytes: number, maxBytes: number, path: string): void {
  if (sizeBytes <= maxBytes) return;
  throw new AppError('TOO_LARGE', `${path} is larger than ${maxBytes} bytes.`, {
    details: { path, maxBytes },
  });
}
