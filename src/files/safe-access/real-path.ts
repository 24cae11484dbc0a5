/**
 * Checks that an open file or folder is really at its path. `resolveRealPath` resolves the links in the
 * configured folders once, so no path below them may contain a link: the open file must be at exactly that
 * path. Linux reports the path of an open file, so a folder that was replaced before the open is detected. On
 * other systems the path is checked again after the file was opened.
 */

import { fstatSync, lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { undefinedIfRefused } from '../../base/errors.js';
import { isSameFile } from '../read/stamp.js';

const OPEN_FILES = '/proc/self/fd';
const DELETED = ' (deleted)';
const HAS_OPEN_PATHS = process.platform === 'linux' && linkTarget('self') !== undefined;
/** On these systems, names that differ in case or Unicode normalization are the same name. */
const FOLDS_NAMES = process.platform === 'win32' || process.platform === 'darwin';

/** Returns a path that goes through the open folder, on Linux; `undefined` on other systems. */
export function pathOfOpen(file: number): string | undefined {
  return HAS_OPEN_PATHS ? `${OPEN_FILES}/${file}` : undefined;
}

/** Whether the open file or folder is at the absolute path `path`, and no part of the path is a link. */
export function isAtPath(file: number, path: string): boolean {
  const target = HAS_OPEN_PATHS ? linkTarget(file) : undefined;
  // If the file was replaced since, Linux reports its earlier path with this suffix.
  if (target !== undefined && (target === path || target === path + DELETED)) return true;
  const clean = resolve(path);
  // `undefined`: the folder was moved.
  if (!undefinedIfRefused(() => isLinkFree(dirname(clean)))) return false;
  const named = lstatSync(clean, { bigint: true, throwIfNoEntry: false });
  return named !== undefined && isSameFile(named, fstatSync(file, { bigint: true }));
}

/** Whether no part of the path is a link. Throws the system's own error, such as ENOENT. */
export const isLinkFree = (path: string): boolean =>
  spelling(realpathSync.native(path)) === spelling(path);

/**
 * Returns the path without links of a file or folder that the user named; its last parts may be missing. If
 * a part cannot be resolved, it is not changed, and opening it later fails.
 */
export function resolveRealPath(path: string): string {
  const clean = resolve(path);
  const real = undefinedIfRefused(() => realpathSync.native(clean));
  if (real !== undefined) return real;
  const parent = dirname(clean);
  return parent === clean ? clean : join(resolveRealPath(parent), basename(clean));
}

function linkTarget(file: number | 'self'): string | undefined {
  const path = file === 'self' ? '/proc/self' : `${OPEN_FILES}/${file}`;
  return undefinedIfRefused(() => readlinkSync(path));
}

const spelling = (path: string) => (FOLDS_NAMES ? caseFolded(path) : path);

/** Returns the same text for all names that a file system may treat as equal. */
export const caseFolded = (name: string): string => name.normalize('NFC').toLowerCase();
