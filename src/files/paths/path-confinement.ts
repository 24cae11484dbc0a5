/**
 * Path confinement: decides which untrusted names may become paths inside a folder of Daybook. It refuses
 * names that Linux, macOS and Windows treat differently, so that a folder that was written on one system
 * can be opened on the others.
 */
import { lstat, realpath } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { AppError } from '../../base/errors.js';
import { ignoreErrno, withFileError } from '../file-errors.js';
import { confusableProblem } from './confusables.js';

const MAX_PATH_LENGTH = 1024;
const MAX_NAME_BYTES = 255;
// biome-ignore lint/suspicious/noControlCharactersInRegex: refusing control characters is the point
const REFUSED_CHARACTERS = /[\u0000-\u001f<>:"|?*\\]/;
/** Short names of Windows, such as `GIT~1`: the folder `.git` has one, too. */
const SHORT_NAME = /^[^.~]{1,6}~\d{1,3}$/;
const RESERVED_ON_WINDOWS = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]) *(\..*)?$/i;

/** The path of `name`, which is relative with `/`. PATH_ESCAPE. Does not access the disk. */
export function confinedPath(folder: string, name: string): string {
  const problem = problemWith(name);
  if (problem !== undefined) throw escapeError(name, problem);
  return join(folder, ...name.split('/'));
}

/**
 * PATH_ESCAPE for a name that would leave its folder on Linux, macOS or Windows, or that programs may decode to
 * such a name. Does not access the disk.
 */
export function requireConfined(name: string): void {
  const problem = confusableProblem(name);
  if (problem !== undefined) throw escapeError(name, problem);
  confinedPath('', name);
  confinedPath('', name.normalize('NFKC'));
}

export function escapeError(name: string, problem: string, more: object = {}): AppError {
  const shown = JSON.stringify(name.slice(0, 200));
  return new AppError('PATH_ESCAPE', `The path ${shown} ${problem}.`, more);
}

/** Like `confinedPath`, and also PATH_ESCAPE if a symbolic link in the path leads out of `folder`. */
export async function confinedRealPath(folder: string, name: string): Promise<string> {
  const path = confinedPath(folder, name);
  return withFileError('resolve', path, async () => {
    const root = await realpath(folder);
    if (isInside(await realpathOfExisting(path), root)) return path;
    throw new AppError('PATH_ESCAPE', `${name} is a link that leads out of the folder.`);
  });
}

/**
 * Returns the path inside `folder` of a name in an archive, which may come from another system. It accepts
 * all names that are safe on this system, such as `12:30.md` on Linux. PATH_ESCAPE. Does not access the
 * disk.
 */
export function archivedPath(folder: string, name: string): string {
  if (process.platform === 'win32') return confinedPath(folder, name);
  const parts = name.split('/');
  const isEscape = parts.some((part) => part === '' || part === '.' || part === '..');
  // A drive letter or a backslash names a folder if the archive was made on Windows.
  if (isEscape || /^[A-Za-z]:|[\\\0]/.test(name) || name.length > MAX_PATH_LENGTH) {
    throw new AppError(
      'PATH_ESCAPE',
      `The archive has an entry with the path ${JSON.stringify(name.slice(0, 200))}, which leads out of the folder.`,
      { hint: 'Nothing was restored. Use another backup.' },
    );
  }
  return join(folder, ...parts);
}

/** True if `path` is `folder` or below it. Both are absolute. */
export function isInside(path: string, folder: string): boolean {
  const way = relative(resolve(folder), resolve(path));
  return way === '' || !(way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way));
}

/** Like `isInside`, for two paths without `.` and `..` parts: much faster, for checks at every access. */
export const isBelow = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);

function problemWith(name: string): string | undefined {
  if (name === '') return 'is empty';
  if (name.length > MAX_PATH_LENGTH) return `is longer than ${MAX_PATH_LENGTH} characters`;
  if (name.startsWith('/') || /^[A-Za-z]:/.test(name)) return 'is absolute';
  if (REFUSED_CHARACTERS.test(name)) return 'has a character that a file name cannot have';
  if (!name.isWellFormed()) return 'has half a surrogate pair';
  for (const part of name.split('/')) {
    if (part === '' || part === '.' || part === '..') return 'has an empty, "." or ".." part';
    if (/[. ]$/.test(part)) return 'has a part that ends in a dot or a space';
    if (SHORT_NAME.test(part))
      return `has a part that looks like a short name of Windows (${part})`;
    if (RESERVED_ON_WINDOWS.test(part)) return `has the reserved name ${part}`;
    if (Buffer.byteLength(part) > MAX_NAME_BYTES) return 'has a part that is too long';
  }
  return undefined;
}

/** Returns the real path of the nearest existing ancestor plus the rest: a new file has no real path yet. */
async function realpathOfExisting(path: string): Promise<string> {
  const found = await ignoreErrno(['ENOENT'], realpath(path));
  if (found !== undefined) return found;
  // A write would follow a link whose target does not exist.
  if ((await ignoreErrno(['ENOENT'], lstat(path)))?.isSymbolicLink()) {
    throw new AppError('PATH_ESCAPE', `${path} is a link to a file or folder that does not exist.`);
  }
  const parent = dirname(path);
  return parent === path ? path : join(await realpathOfExisting(parent), relative(parent, path));
}
