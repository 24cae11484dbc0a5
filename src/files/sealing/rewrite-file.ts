/** Encrypts or decrypts a file in place and keeps its modification time, because the content is the same. */
import { lutimesSync } from 'node:fs';
import { isAppError } from '../../base/errors.js';
import { atomicWrite, type Durability } from '../atomic/atomic-write.js';
import type { Stamp } from '../read/stamp.js';
import { readStampNow } from '../read/stamp.js';
import type { ReadFile } from '../read/whole-file.js';

/**
 * Replaces the version of the file that was read (`stamp`) with `bytes`. The content is durable when it
 * resolves; a crash may lose the modification time. Returns `undefined`, and writes nothing, if the file
 * was changed meanwhile. STORAGE_FULL, FILESYSTEM_ERROR.
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
