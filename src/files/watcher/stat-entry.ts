/** The stats of one entry, or the list of a folder. Never follows a link out of the root. */
import { type BigIntStats, lstatSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { errnoOf } from '../../base/errors.js';
import { ABSENT } from '../file-errors.js';
import { inFolder } from '../safe-access/pinned-folder.js';

/** `absent`: certainly. `unknown`: no permission or an I/O error; then the known files stay. */
export type Seen = BigIntStats | 'absent' | 'unknown';

export interface Listing {
  readonly files: ReadonlySet<string>;
  readonly folders: ReadonlySet<string>;
}

/** Returns the stats of the entry at `path`; a link is not followed. */
export function statEntry(path: string): Seen {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false }) ?? 'absent';
  } catch (error) {
    return ABSENT.includes(errnoOf(error) ?? '') ? 'absent' : 'unknown';
  }
}

/** The names of regular files and folders, without links; `undefined` if it cannot be read. */
export async function listEntries(path: string): Promise<Listing | undefined> {
  const files = new Set<string>();
  const folders = new Set<string>();
  try {
    const read = inFolder(path, (folder) => readdir(folder.path, { withFileTypes: true }));
    for (const entry of await read) {
      if (entry.isFile()) files.add(entry.name);
      else if (entry.isDirectory()) folders.add(entry.name);
    }
  } catch {
    return undefined; // the next pass tries again
  }
  return { files, folders };
}
