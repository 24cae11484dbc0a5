/** Checks whether a folder is writable, without a write. */
import { accessSync, constants, lstatSync } from 'node:fs';
import { dirname } from 'node:path';
import { errnoOf } from '../../base/errors.js';

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
