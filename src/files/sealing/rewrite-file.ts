/** Gives a file another form on the disk with the same content, so its time stays as well. */
import { lutimesSync } from 'node:fs';
import { isAppError } from '../../base/errors.js';
import { atomicWrite, type Durability } from '../atomic/atomic-write.js';
import type { ReadFile } from '../read/json-doc.js';
import type { Stamp } from '../read/stamp.js';
import { readStampNow } from '../read/stamp.js';

/**
 * Replaces what was read by `bytes`. Durable when it resolves. `undefined`, and nothing was written, where
 * the file was changed meanwhile. A crash may leave the time of the write. FILESYSTEM_ERROR.
 */
export async function rewriteFile(
  path: string,
  bytes: Uint8Array,
  { stamp }: ReadFile,
  durability: Durability,
): Promise<Stamp | undefined> {
  try {
    await atomicWrite(path, bytes, durability, stamp);
  } catch (error) {
    if (isAppError(error, 'CONFLICT')) return undefined;
    throw error;
  }
  const modified = Number(stamp.mtimeNs / 1000n) / 1e6;
  lutimesSync(path, modified, modified);
  return readStampNow(path);
}
