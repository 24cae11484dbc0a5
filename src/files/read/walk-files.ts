/**
 * Walks a folder: yields every file below it, sorted by name, for backups. Links and other entries that are not
 * regular files are listed and not followed, because a link could lead out of the folder.
 */
import { join } from 'node:path';
import { entriesOf } from '../paths/folders.js';

export interface ListedFile {
  /** Relative to the folder, with `/`. */
  readonly name: string;
  readonly path: string;
  /** False if it is not a regular file (a link, a socket), or its name is not UTF-8 or has a backslash. */
  readonly isPlain: boolean;
  readonly isLink: boolean;
}

/**
 * Skips files and folders if `isLeftOut` returns true for their relative name. A missing folder has no
 * files. FILESYSTEM_ERROR.
 */
export async function* walkFiles(
  folder: string,
  isLeftOut: (name: string, path: string) => boolean,
  prefix = '',
): AsyncGenerator<ListedFile> {
  const entries = await entriesOf(folder, ['ENOENT', 'ENOTDIR']);
  const sorted = entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of sorted) {
    const name = `${prefix}${entry.name}`;
    const path = join(folder, entry.name);
    if (isLeftOut(name, path)) continue;
    if (entry.isDirectory()) yield* walkFiles(path, isLeftOut, `${name}/`);
    else
      yield {
        name,
        path,
        isPlain: entry.isFile() && !/[\uFFFD\\]/.test(entry.name),
        isLink: entry.isSymbolicLink(),
      };
  }
}
