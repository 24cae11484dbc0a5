/**
 * Reads the small files of the user's own configuration folder at the start. It is synchronous, because
 * nothing else can run before they are read. atomic-write.ts writes them.
 */
import { errnoOf } from '../../base/errors.js';
import { fileError } from '../read/file-errors.js';
import { readGivenText } from '../safe-access/given-file.js';

/**
 * Returns the text of a file; `undefined` if there is no such file. FILESYSTEM_ERROR if it cannot be read.
 */
export function readTextIfPresent(path: string): string | undefined {
  try {
    return readGivenText(path);
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === 'ENOENT' || errno === 'ENOTDIR') return undefined;
    throw fileError(error, 'read', path);
  }
}
