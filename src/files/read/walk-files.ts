/**
 * Walks a folder: yields every file below it, sorted by name, for backups. Links and other entries that are not
 * regular files are listed and not followed, because a link could lead out of the folder.
 */
import type { Dirent } from 'node:fs';
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
 * files. FILESYSTEM_ERROR. `ahead` is the number of folders that are listed at the same time: with more than
 * one the walk is faster, but a folder may have changed since it was listed.
 */
export async function* walkFiles(
  folder: string,
  isLeftOut: (name: string, path: string) => boolean,
  ahead = 1,
): AsyncGenerator<ListedFile> {
  yield* filesOf({ folder, prefix: '', entries: await listingOf(folder) }, isLeftOut, ahead);
}

const listingOf = (folder: string) => entriesOf(folder, ['ENOENT', 'ENOTDIR']);

interface Listed {
  readonly folder: string;
  readonly prefix: string;
  readonly entries: readonly Dirent[];
}

async function* filesOf(
  { folder, prefix, entries }: Listed,
  isLeftOut: (name: string, path: string) => boolean,
  ahead: number,
): AsyncGenerator<ListedFile> {
  const kept = entries
    .map((entry) => ({ entry, name: `${prefix}${entry.name}`, path: join(folder, entry.name) }))
    .filter(({ name, path }) => !isLeftOut(name, path))
    .sort((a, b) => (a.entry.name < b.entry.name ? -1 : 1));
  const next = kept.filter(({ entry }) => entry.isDirectory()).values();
  const listings: Promise<Dirent[]>[] = [];
  for (const { entry, name, path } of kept) {
    if (!entry.isDirectory()) {
      const isPlain = entry.isFile() && !/[\uFFFD\\]/.test(entry.name);
      yield { name, path, isPlain, isLink: entry.isSymbolicLink() };
      continue;
    }
    while (listings.length < ahead) {
      const { value: following } = next.next();
      if (following === undefined) break;
      const listing = listingOf(following.path);
      listing.catch(() => undefined); // thrown when the walk comes to this folder
      listings.push(listing);
    }
    const listed = (await listings.shift()) ?? [];
    yield* filesOf({ folder: path, prefix: `${name}/`, entries: listed }, isLeftOut, ahead);
  }
}
