/** Reads byte ranges of a file, if the file is still a known version. */
import { fstatSync } from 'node:fs';
import { ABSENT, ignoreErrno, withFileError } from '../file-errors.js';
import { openHandle } from '../safe-access/open-regular.js';
import { isSameStamp, type Stamp, stampOf } from './stamp.js';

export interface ByteRange {
  readonly from: number;
  readonly end: number;
}

/**
 * Returns the bytes of each range of the version with this stamp; `undefined` if the file is missing or has
 * another stamp before or after the read. PATH_ESCAPE, FILESYSTEM_ERROR.
 */
export async function readParts(
  path: string,
  stamp: Stamp,
  ranges: readonly ByteRange[],
): Promise<Buffer[] | undefined> {
  return withFileError('read', path, async () => {
    const handle = await ignoreErrno(ABSENT, openHandle(path));
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
