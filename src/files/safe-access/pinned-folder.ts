/**
 * A folder that is kept open while files in it are accessed. On Linux every access goes through the open
 * folder, so that a link that replaces the folder meanwhile has no effect. On other systems the folder is
 * only checked when it is pinned (docs/SECURITY.md describes the remaining risk).
 */
import { constants, lstatSync, openSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf, undefinedIfRefused } from '../../base/errors.js';
import { closeQuietly } from './close-quietly.js';
import { isAtPath, isLinkFree, pathOfOpen } from './real-path.js';
import { symlinkError } from './refusal-errors.js';

const { O_RDONLY, O_DIRECTORY = 0, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
const FLAGS = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK;
/**
 * The number of tries if a file or folder is moved while it is opened. Another process may move it at every
 * try: five tries were too few in one of some hundred thousand calls. All tries together take less than a
 * millisecond.
 */
export const MAX_TRIES = 50;

export interface PinnedFolder {
  /** The path for system calls. On Linux it goes through the open folder. */
  readonly path: string;
  /** The path that was pinned: for messages, and for pinning sub-folders. */
  readonly realPath: string;
  /** The file descriptor, for fsync; `undefined` on Windows, or if we may not list the folder. */
  readonly file: number | undefined;
  /** Returns the path of a name in the folder, for system calls. */
  at(name: string): string;
  close(): void;
}

/** `path` is absolute. PATH_ESCAPE if a part is a link, or the system's error (ENOENT, ENOTDIR). */
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
    // The folder was moved after it was opened, as lock folders are. The next try opens the present one.
    closeQuietly(file);
  }
  throw symlinkError(path);
}

/** Pins a sub-folder of a pinned folder. Throws like `pinFolder`. */
export function pinIn(folder: PinnedFolder, name: string): PinnedFolder {
  const realPath = join(folder.realPath, name);
  // Without a path through the open folder, all parts must be checked for links again.
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

/** Returns `undefined` if the folder cannot be opened, but its files can be accessed. */
function openFolder(path: string): number | undefined {
  if (process.platform === 'win32') return undefined;
  try {
    return openSync(path, FLAGS);
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === 'EACCES') return undefined; // we may access files in it, but not list it
    const isLink = (errno === 'ELOOP' || errno === 'ENOTDIR') && isLinkAt(path);
    throw isLink ? symlinkError(path) : error;
  }
}

function pinByName(path: string): PinnedFolder {
  statSync(`${path}/.`); // throws ENOENT or ENOTDIR, like `open`
  // This throws ENOENT if the folder was removed meanwhile, as a lock may be.
  if (!isLinkFree(path)) throw symlinkError(path);
  return pinned(path, path, undefined);
}

/** False also if a part of the path is not a folder. */
const isLinkAt = (path: string): boolean =>
  undefinedIfRefused(() => lstatSync(path).isSymbolicLink()) ?? false;
