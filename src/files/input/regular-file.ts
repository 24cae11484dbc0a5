/** Reads a file from outside the store through open-regular.ts, which follows no link and opens no device. */

import { withFileError } from '../file-errors.js';
import { openHandle } from '../safe-access/open-regular.js';

const CHUNK_BYTES = 1024 * 1024;
const SMALLEST_CHUNK_BYTES = 4096;

/** In chunks of at most 1 MB. FILESYSTEM_ERROR, also if it is no regular file; PATH_ESCAPE for a link. */
export async function* regularBytes(path: string): AsyncGenerator<Uint8Array> {
  const handle = await withFileError('open', path, () => openHandle(path));
  try {
    // One byte more than the file has shows its end. A chunk of 1 MB for each of thousands of small files
    // would keep the garbage collector busy.
    const { size } = await withFileError('read', path, () => handle.stat());
    const length = Math.max(SMALLEST_CHUNK_BYTES, Math.min(CHUNK_BYTES, size + 1));
    for (;;) {
      const buffer = Buffer.allocUnsafe(length);
      const { bytesRead } = await withFileError('read', path, () => handle.read(buffer, 0, length));
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}
