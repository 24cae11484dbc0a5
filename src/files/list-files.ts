/**
 * Every file below a folder, in the order of the names, for a backup of the whole. Links and other
 * things that are no plain files are named, never followed: a link could lead out of the folder.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { reporting, unless } from './file-errors.js';

export interface ListedFile {
  /** Relative to the folder, with `/`. */
  readonly name: string;
  readonly path: string;
  /** False for a link, a socket and the like, and for a name that is no text. */
  readonly isPlain: boolean;
}

/** `isLeftOut` decides by relative name, for files and folders alike. An absent folder holds nothing. */
export async function* listFiles(
  folder: string,
  isLeftOut: (name: string, path: string) => boolean,
  prefix = '',
): AsyncGenerator<ListedFile> {
  const entries = await reporting('list', folder, () =>
    unless(['ENOENT', 'ENOTDIR'], readdir(folder, { withFileTypes: true })),
  );
  const sorted = (entries ?? []).sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of sorted) {
    const name = `${prefix}${entry.name}`;
    const path = join(folder, entry.name);
    if (isLeftOut(name, path)) continue;
    if (entry.isDirectory()) yield* listFiles(path, isLeftOut, `${name}/`);
    else yield { name, path, isPlain: entry.isFile() && !/[\uFFFD\\]/.test(entry.name) };
  }
}
