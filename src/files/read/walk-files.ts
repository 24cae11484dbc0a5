/**
 * Walks a folder: yields every file below it, sorted by name, for backups. Links and other entries that are not
 * regular files are listed and not followed, because a link could lead out of the folder.
 */

import type { Dirent } from 'node:fs';
import { join } from 'node:path';
import { type AppError, isAppError } from '../../base/errors.js';
import { ABSENT } from '../file-errors.js';
import { LEASES_FOLDER, LOCKS_FOLDER } from '../locks/lock-folders.js';
import { entriesOf } from '../paths/folders.js';

export interface ListedFile {
  /** Relative to the folder, with `/`. */
  readonly name: string;
  readonly path: string;
  /** False if it is not a regular file (a link, a socket), or its name is not UTF-8 or has a backslash. */
  readonly isPlain: boolean;
  readonly isLink: boolean;
  /** It is a folder that cannot be listed: the reason. */
  readonly closed?: AppError;
}

/** Folders of a root without data: the locks of running processes, and `.git`, which is not copied file by file. */
export const NO_DATA: ReadonlySet<string> = new Set([LOCKS_FOLDER, LEASES_FOLDER, '.git']);

/** A name that is not UTF-8, or has a backslash, may stand for another file. */
export const isPlainName = (name: string): boolean => !/[\uFFFD\\]/.test(name);

export interface WalkOptions {
  /** Yields a folder below that cannot be listed as if it were a file, so that reading it gives the error. */
  readonly yieldsClosed?: boolean;
}

type IsLeftOut = (name: string, path: string) => boolean;

/** Skips what `isLeftOut` names. A missing folder has no files. FILESYSTEM_ERROR. */
export async function* walkFiles(
  folder: string,
  isLeftOut: IsLeftOut,
  { yieldsClosed = false }: WalkOptions = {},
): AsyncGenerator<ListedFile> {
  const entries = await entriesOf(folder, ABSENT);
  yield* filesOf({ folder, entries, prefix: '' }, isLeftOut, yieldsClosed);
}

interface Listed {
  readonly folder: string;
  readonly entries: readonly Dirent[];
  readonly prefix: string;
}

async function* filesOf(
  { folder, entries, prefix }: Listed,
  isLeftOut: IsLeftOut,
  yieldsClosed: boolean,
): AsyncGenerator<ListedFile> {
  const kept = entries
    .map((entry) => ({ entry, name: `${prefix}${entry.name}`, path: join(folder, entry.name) }))
    .filter(({ name, path }) => !isLeftOut(name, path))
    .sort((a, b) => (a.entry.name < b.entry.name ? -1 : 1));
  for (const { entry, name, path } of kept) {
    if (!entry.isDirectory()) {
      const isPlain = entry.isFile() && isPlainName(entry.name);
      yield { name, path, isPlain, isLink: entry.isSymbolicLink() };
      continue;
    }
    const inner = await entriesOf(path, ABSENT).catch((error: unknown) => {
      if (yieldsClosed && isAppError(error, 'FILESYSTEM_ERROR')) return error;
      throw error;
    });
    if (!Array.isArray(inner)) yield { name, path, isPlain: true, isLink: false, closed: inner };
    else
      yield* filesOf({ folder: path, entries: inner, prefix: `${name}/` }, isLeftOut, yieldsClosed);
  }
}
