/**
 * Whether an open file or folder is where its path says. Every path below the configured folders is
 * written without links (`resolveRealPath` resolves the configured ones once), so one rule is enough: what
 * was opened must lie at exactly that path. Linux returns the path of an open file, so that no swap of a
 * folder in between goes unseen. Elsewhere the path is checked again after the file was opened.
 */
import { type BigIntStats, fstatSync, lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { errnoOf } from '../../base/errors.js';

const OPEN_FILES = '/proc/self/fd';
const DELETED = ' (deleted)';
const HAS_OPEN_PATHS = process.platform === 'linux' && linkTarget('self') !== undefined;
/** On these one name has several spellings. */
const FOLDS_NAMES = process.platform === 'win32' || process.platform === 'darwin';

/** The path of a folder by its number, for what is to happen in exactly this one; only on Linux. */
export function pathOfOpen(file: number): string | undefined {
  return HAS_OPEN_PATHS ? `${OPEN_FILES}/${file}` : undefined;
}

/** True where the open file or folder lies at `path`, which is absolute, with no link on the way. */
export function isAtPath(file: number, path: string): boolean {
  const target = HAS_OPEN_PATHS ? linkTarget(file) : undefined;
  // A file that was replaced since keeps the name that it had.
  if (target !== undefined && (target === path || target === path + DELETED)) return true;
  const clean = resolve(path);
  if (!isLinkFree(dirname(clean))) return false;
  const named = lstatSync(clean, { bigint: true, throwIfNoEntry: false });
  return named !== undefined && isSame(named, fstatSync(file, { bigint: true }));
}

/** True where no part of `path`, which is there, is a link. */
export function isLinkFree(path: string): boolean {
  try {
    return spelling(realpathSync.native(path)) === spelling(path);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return false;
  }
}

/**
 * The path without links of a file or folder that the user named; its last parts may not be there yet. What
 * cannot be resolved stays as it is, and is refused when it is opened.
 */
export function resolveRealPath(path: string): string {
  const clean = resolve(path);
  try {
    return realpathSync.native(clean);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    const parent = dirname(clean);
    return parent === clean ? clean : join(resolveRealPath(parent), basename(clean));
  }
}

function linkTarget(file: number | 'self'): string | undefined {
  try {
    return readlinkSync(file === 'self' ? '/proc/self' : `${OPEN_FILES}/${file}`);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}

const spelling = (path: string) => (FOLDS_NAMES ? path.normalize('NFC').toLowerCase() : path);

const isSame = (a: BigIntStats, b: BigIntStats) => a.ino === b.ino && a.dev === b.dev;
