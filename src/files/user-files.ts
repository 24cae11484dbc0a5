/**
 * Reads the small files of the user's own configuration folder, before anything else is open.
 * Synchronous, because nothing can run until they are known. Writing is `atomic-write.ts`.
 */
import { readFileSync } from 'node:fs';
import { errnoOf } from '../base/errors.js';
import { fileError } from './file-errors.js';

/** The text of a file, `undefined` when there is none. FILESYSTEM_ERROR when it cannot be read. */
export function readTextIfPresent(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === 'ENOENT' || errno === 'ENOTDIR') return undefined;
    throw fileError(error, 'read', path);
  }
}
