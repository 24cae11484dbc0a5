/** Whether a folder can be written to, without writing anything. */
import { accessSync, constants, lstatSync } from 'node:fs';
import { dirname } from 'node:path';
import { errnoOf } from '../../base/errors.js';

/** The errno by which the system refuses to write there, or in the nearest folder that exists; `undefined` if it does not. */
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
