/** The bytes of a file from outside the store, read through open-regular.ts, which follows no link and opens no device. */

import { withFileError } from '../read/file-errors.js';
import { openHandle } from '../safe-access/open-regular.js';

const CHUNK_BYTES = 1024 * 1024;

/** Piece by piece. FILESYSTEM_ERROR, also where it is no regular file; PATH_ESCAPE for a link. */
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
