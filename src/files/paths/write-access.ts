/** Checks whether a file is readable and a folder writable, without reading or writing. */
import { accessSync, constants, lstatSync } from 'node:fs';
import { dirname } from 'node:path';
import { errnoOf } from '../../base/errors.js';
import { fileError } from '../file-errors.js';

/**
 * Returns the errno (`ENOTDIR`, `EACCES`, …) if the folder is not writable; `undefined` if it is. For a
 * missing folder, the nearest existing parent is checked.
 */
export function problemWithWriting(folder: string): string | undefined {
  for (let path = folder; ; path = dirname(path)) {
    try {
      const found = lstatSync(path, { throwIfNoEntry: false });
      if (found === undefined && dirname(path) !== path) continue;
      if (found !== undefined && !found.isDirectory()) return 'ENOTDIR';
      accessSync(path, constants.W_OK | constants.X_OK);
      return undefined;
    } catch (error) {
      return errnoOf(error) ?? 'unknown';
    }
  }
}

/** Does nothing if the file is missing. FILESYSTEM_ERROR if this user may not read it. */
export function assertReadable(path: string): void {
  assertAllowed(path, constants.R_OK, 'read');
}

/** Does nothing if the folder is missing. FILESYSTEM_ERROR if this user may not create files in it. */
export function assertWritable(folder: string): void {
  assertAllowed(folder, constants.W_OK | constants.X_OK, 'write in');
}

function assertAllowed(path: string, mode: number, doing: string): void {
  try {
    accessSync(path, mode);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw fileError(error, doing, path);
  }
}
