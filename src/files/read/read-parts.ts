/** Parts of a file that was read as a whole before, while it is still that version. */
import { fstatSync } from 'node:fs';
import { openHandle } from '../safe-access/open-regular.js';
import { ignoreErrno, withFileError } from './file-errors.js';
import { isSameStamp, type Stamp, stampOf } from './stamp.js';

export interface ByteRange {
  readonly from: number;
  readonly end: number;
}

/**
 * The bytes of each range of the version with this stamp; `undefined` if the file is another version, also one
 * that came while it was read. PATH_ESCAPE, FILESYSTEM_ERROR.
 */
export async function readParts(
  path: string,
  stamp: Stamp,
  ranges: readonly ByteRange[],
): Promise<Buffer[] | undefined> {
  return withFileError('read', path, async () => {
    const handle = await ignoreErrno(['ENOENT', 'ENOTDIR'], openHandle(path));
    if (handle === undefined) return undefined;
    const isThatVersion = () => isSameStamp(stampOf(fstatSync(handle.fd, { bigint: true })), stamp);
    try {
      const parts: Buffer[] = [];
      for (const { from, end } of isThatVersion() ? ranges : []) {
        const part = Buffer.allocUnsafe(end - from);
        const { bytesRead } = await handle.read(part, 0, part.byteLength, from);
        if (bytesRead < part.byteLength) return undefined;
        parts.push(part);
      }
      return isThatVersion() ? parts : undefined;
    } finally {
      await handle.close();
    }
  });
}
