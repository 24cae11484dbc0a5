/**
 * Lists every file below a folder in the order of the names, for a backup. Links and other entries that
 * are not plain files are listed but not followed: a link could lead out of the folder.
 */
import { join } from 'node:path';
import { entriesOf } from '../paths/folders.js';

export interface ListedFile {
  /** Relative to the folder, with `/`. */
  readonly name: string;
  readonly path: string;
  /** False for a link, a socket and the like, and for a name that is not UTF-8. */
  readonly isPlain: boolean;
  readonly isLink: boolean;
}

/** Skips files and folders for whose relative name `isLeftOut` is true. A missing folder has no files. */
export async function* listFiles(
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
    if (entry.isDirectory()) yield* listFiles(path, isLeftOut, `${name}/`);
    else
      yield {
        name,
        path,
        isPlain: entry.isFile() && !/[\uFFFD\\]/.test(entry.name),
        isLink: entry.isSymbolicLink(),
      };
  }
}
