/**
 * A folder held open while something is done in it. On Linux every step goes through the open folder
 * itself, so that a link that replaces the folder meanwhile has no effect. Elsewhere it is
 * checked when it is pinned (docs/SECURITY.md says what remains).
 */
import { constants, lstatSync, openSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '../../base/errors.js';
import { closeQuietly } from './close-quietly.js';
import { isAtPath, isLinkFree, pathOfOpen } from './real-path.js';
import { symlinkError } from './refusals.js';

const { O_RDONLY, O_DIRECTORY = 0, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
const FLAGS = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK;
/**
 * For a file or a folder that is moved, such as into the trash, while it is opened. Another process may
 * move it at every try: of some hundred thousand calls, five tries were too few for one. A refused
 * link costs less than a millisecond.
 */
export const MAX_TRIES = 50;

export interface PinnedFolder {
  /** What system calls are given for the folder. */
  readonly path: string;
  /** The path that it was pinned by: for people, and to pin what is below it. */
  readonly realPath: string;
  /** The open folder, for fsync; absent where the system opens no folders or keeps this one closed. */
  readonly file: number | undefined;
  /** What system calls are given for a name in it. */
  at(name: string): string;
  close(): void;
}

/**
 * Opens the folder at an absolute path. PATH_ESCAPE where it is a link or lies behind one; otherwise
 * the system's own error (ENOENT, ENOTDIR) for the caller to judge.
 */
export function pinFolder(path: string): PinnedFolder {
  for (let attempt = 1; attempt <= MAX_TRIES; attempt += 1) {
    const file = openFolder(path);
    if (file === undefined) return pinByName(path);
    try {
      if (isAtPath(file, path)) return pinned(path, pathOfOpen(file) ?? path, file);
    } catch (error) {
      closeQuietly(file);
      throw error;
    }
    // It was moved after it was opened, as the folder of a lock is: the next try opens what is there now.
    closeQuietly(file);
  }
  throw symlinkError(path);
}

/** The same for a name in a pinned folder. Throws like `pinFolder`. */
export function pinIn(folder: PinnedFolder, name: string): PinnedFolder {
  const realPath = join(folder.realPath, name);
  // Only a path through the open folder itself shows that nothing on the way is a link.
  if (folder.path === folder.realPath) return pinFolder(realPath);
  const file = openFolder(folder.at(name));
  if (file === undefined) return pinByName(realPath);
  return pinned(realPath, pathOfOpen(file) ?? realPath, file);
}

/** Runs `work` in the pinned folder. Throws like `pinFolder`, and whatever `work` throws. */
export async function inFolder<T>(
  path: string,
  work: (folder: PinnedFolder) => T | Promise<T>,
): Promise<T> {
  const folder = pinFolder(path);
  try {
    return await work(folder);
  } finally {
    folder.close();
  }
}

function pinned(realPath: string, path: string, file: number | undefined): PinnedFolder {
  let isOpen = file !== undefined;
  return {
    path,
    realPath,
    file,
    at: (name) => `${path}/${name}`,
    close() {
      if (isOpen && file !== undefined) closeQuietly(file);
      isOpen = false;
    },
  };
}

/** `undefined` where the folder cannot be opened, although things can be done in it. */
function openFolder(path: string): number | undefined {
  if (process.platform === 'win32') return undefined;
  try {
    return openSync(path, FLAGS);
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === 'EACCES') return undefined; // may be searched and written, but not listed
    const isLink = (errno === 'ELOOP' || errno === 'ENOTDIR') && isLinkAt(path);
    throw isLink ? symlinkError(path) : error;
  }
}

function pinByName(path: string): PinnedFolder {
  statSync(`${path}/.`); // ENOENT or ENOTDIR, as opening it would say
  if (!isLinkFree(path)) throw symlinkError(path);
  return pinned(path, path, undefined);
}

function isLinkAt(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return false; // a part above it is no folder
  }
}
