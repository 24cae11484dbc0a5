/**
 * Path confinement: which names from outside may become paths inside a folder of ours.
 * Refuses what any of the three platforms would read differently, whichever this one is,
 * so that a folder written here can be opened there.
 */
import { lstat, realpath } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { AppError } from '../base/errors.js';
import { reporting, unless } from './file-errors.js';

const MAX_PATH_LENGTH = 1024;
const MAX_NAME_BYTES = 255;
// biome-ignore lint/suspicious/noControlCharactersInRegex: refusing control characters is the point
const REFUSED_CHARACTERS = /[\u0000-\u001f<>:"|?*\\]/;
const RESERVED_ON_WINDOWS = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]) *(\..*)?$/i;

/**
 * The absolute path of `name`, a relative path with `/`, inside `folder`.
 * Throws PATH_ESCAPE; no file is touched.
 */
export function confinedPath(folder: string, name: string): string {
  const problem = problemWith(name);
  if (problem !== undefined) {
    throw new AppError('PATH_ESCAPE', `The path ${JSON.stringify(name.slice(0, 200))} ${problem}.`);
  }
  return join(folder, ...name.split('/'));
}

/** The same, and follows the symlinks on the way: PATH_ESCAPE where they leave `folder`. */
export async function confinedRealPath(folder: string, name: string): Promise<string> {
  const path = confinedPath(folder, name);
  return reporting('resolve', path, async () => {
    const root = await realpath(folder);
    const real = await realpathOfExisting(path);
    if (!isInside(root, real)) {
      throw new AppError('PATH_ESCAPE', `${name} is a link that leads out of the folder.`);
    }
    return path;
  });
}

/** True where `path` is `folder` or below it; both absolute. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(resolve(folder), resolve(path));
  return way === '' || !(way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way));
}

function problemWith(name: string): string | undefined {
  if (name === '') return 'is empty';
  if (name.length > MAX_PATH_LENGTH) return `is longer than ${MAX_PATH_LENGTH} characters`;
  if (name.startsWith('/') || /^[A-Za-z]:/.test(name)) return 'is absolute';
  if (REFUSED_CHARACTERS.test(name)) return 'holds a character that a file name cannot have';
  if (!name.isWellFormed()) return 'holds half a surrogate pair';
  for (const part of name.split('/')) {
    if (part === '' || part === '.' || part === '..') return 'has an empty, "." or ".." part';
    if (/[. ]$/.test(part)) return 'has a part that ends in a dot or a space';
    if (RESERVED_ON_WINDOWS.test(part)) return `has the reserved name ${part}`;
    if (Buffer.byteLength(part) > MAX_NAME_BYTES) return 'has a part that is too long';
  }
  return undefined;
}

/** The real path of the nearest existing ancestor, with the rest appended: new files have none yet. */
async function realpathOfExisting(path: string): Promise<string> {
  const found = await unless(['ENOENT'], realpath(path));
  if (found !== undefined) return found;
  // A dangling link would be followed by whoever writes there.
  if ((await unless(['ENOENT'], lstat(path)))?.isSymbolicLink()) {
    throw new AppError('PATH_ESCAPE', `${path} is a link that leads nowhere.`);
  }
  const parent = dirname(path);
  return parent === path ? path : join(await realpathOfExisting(parent), relative(parent, path));
}
