/**
 * One look at the disk. Symlinks are not followed, so nothing outside of the root is ever reported.
 */
import { type BigIntStats, lstatSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { errnoOf } from '../../base/errors.js';
import { isStampOf, type Stamp } from '../stamp.js';

/** `absent` is certain; `unknown` (no permission, an I/O fault) says nothing and changes nothing. */
export type Seen = BigIntStats | 'absent' | 'unknown';

export interface Listing {
  readonly files: ReadonlySet<string>;
  readonly folders: ReadonlySet<string>;
}

/** What is at `path`; with `follow` a symlink's target, which only the root itself may be. */
export function look(path: string, follow = false): Seen {
  try {
    const stats = follow
      ? statSync(path, { bigint: true, throwIfNoEntry: false })
      : lstatSync(path, { bigint: true, throwIfNoEntry: false });
    return stats ?? 'absent';
  } catch (error) {
    return isAbsence(error) ? 'absent' : 'unknown';
  }
}

/** Whether the file is surely as it was, at half the price of a look. */
export function isAsKnown(path: string, stamp: Stamp): boolean {
  try {
    return isStampOf(lstatSync(path, { throwIfNoEntry: false }), stamp);
  } catch {
    return false;
  }
}

/** Names of regular files and of real folders in `path`. */
export async function list(path: string): Promise<Listing | 'absent' | 'unknown'> {
  const files = new Set<string>();
  const folders = new Set<string>();
  try {
    for (const entry of await readdir(path, { withFileTypes: true })) {
      if (entry.isFile()) files.add(entry.name);
      else if (entry.isDirectory()) folders.add(entry.name);
    }
  } catch (error) {
    return isAbsence(error) ? 'absent' : 'unknown';
  }
  return { files, folders };
}

function isAbsence(error: unknown): boolean {
  const code = errnoOf(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}
