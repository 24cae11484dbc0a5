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

/** Folders of a root without data: the locks of running processes, and `.git`, which is not copied file by file. */
export const NO_DATA: ReadonlySet<string> = new Set(['.locks', '.leases', '.git']);

/** A name that is not UTF-8, or has a backslash, may stand for another file. */
export const isPlainName = (name: string): boolean => !/[\uFFFD\\]/.test(name);

/** Skips what `isLeftOut` names. A missing folder has no files. FILESYSTEM_ERROR. */
export async function* walkFiles(
  folder: string,
  isLeftOut: (name: string, path: string) => boolean,
): AsyncGenerator<ListedFile> {
  yield* filesOf(folder, '', isLeftOut);
}

async function* filesOf(
  folder: string,
  prefix: string,
  isLeftOut: (name: string, path: string) => boolean,
): AsyncGenerator<ListedFile> {
  const entries = await entriesOf(folder, ['ENOENT', 'ENOTDIR']);
  const kept = entries
    .map((entry) => ({ entry, name: `${prefix}${entry.name}`, path: join(folder, entry.name) }))
    .filter(({ name, path }) => !isLeftOut(name, path))
    .sort((a, b) => (a.entry.name < b.entry.name ? -1 : 1));
  for (const { entry, name, path } of kept) {
    if (entry.isDirectory()) yield* filesOf(path, `${name}/`, isLeftOut);
    else {
      const isPlain = entry.isFile() && isPlainName(entry.name);
      yield { name, path, isPlain, isLink: entry.isSymbolicLink() };
    }
  }
}
