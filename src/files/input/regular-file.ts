/** Reads a file from outside the store through open-regular.ts, which follows no link and opens no device. */

import { withFileError } from '../read/file-errors.js';
import { openHandle } from '../safe-access/open-regular.js';

const CHUNK_BYTES = 1024 * 1024;

/**
 * Yields the bytes in chunks of 1 MB. FILESYSTEM_ERROR, also if it is not a regular file; PATH_ESCAPE for a
 * link.
 */
export async function* regularBytes(path: string): AsyncGenerator<Uint8Array> {
  const handle = await withFileError('open', path, () => openHandle(path));
  try {
    for (;;) {
      const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
      const { bytesRead } = await withFileError('read', path, () =>
        handle.read(buffer, 0, CHUNK_BYTES),
      );
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}
