/**
 * Decides which paths are notes: `.md` files below the memory bank, except in hidden folders (such as `.git`
 * and `.trash`) and in `insights/`.
 */
import { AppError, isAppError } from '../../base/errors.js';
import { inStoredForm } from '../../files/paths/confined-file.js';
import { skeletonOf } from '../../files/paths/confusables.js';
import { requireConfined } from '../../files/paths/path-confinement.js';

const EXTENSION = '.md';
const INSIGHTS = 'insights';

/**
 * PATH_ESCAPE: the path leads out of the bank or is reserved. VALIDATION_ERROR: not a Markdown file. No I/O.
 */
export function requireNotePath(path: string): void {
  requireConfined(path);
  // On a file system that ignores case, a name that differs only in case is the same folder.
  if (isReservedPath(path) || isReservedPath(skeletonOf(path))) {
    throw new AppError(
      'PATH_ESCAPE',
      `${JSON.stringify(path)} cannot be the path of a note. Names that begin with a dot are reserved. The folder ${INSIGHTS}/ is reserved too, in upper and in lower case.`,
    );
  }
  if (path.endsWith(EXTENSION)) return;
  throw new AppError(
    'VALIDATION_ERROR',
    `The path of a note must end in ${EXTENSION}: ${JSON.stringify(path)} does not.`,
    {
      hint: `Use a path such as ${JSON.stringify(`${path.replace(/\.\w*$/, '')}${EXTENSION}`)}. If the file exists already, rename it on the disk first.`,
    },
  );
}

/**
 * Like `requireNotePath`, for an existing note. Returns the path as it is on the disk: the names of files of
 * other systems may have another Unicode form, which assistants cannot type. FILESYSTEM_ERROR.
 */
export async function storedNotePath(folder: string, path: string): Promise<string> {
  requireNotePath(path);
  return isAscii(path) ? path : inStoredForm(folder, path);
}

const isAscii = (text: string) => Buffer.byteLength(text) === text.length;

/**
 * Like `requireNotePath`, for a new note. VALIDATION_ERROR also for a path that only a shell expands, because
 * it would create a folder with the name `~` or `$HOME`, and for a path from the root of the store. An existing
 * note in such a folder can be read, moved and deleted.
 */
export function requireNewNotePath(path: string): void {
  requireNotePath(path);
  const inBank = pathInBank(path);
  if (inBank !== undefined) {
    throw new AppError(
      'VALIDATION_ERROR',
      `${JSON.stringify(path)} would create the folder memory-bank inside the memory bank.`,
      {
        hint: `Nothing was written. Give the path inside the memory bank: ${JSON.stringify(inBank)}.`,
      },
    );
  }
  if (!/^(~|\$)[^/]*\//.test(path)) return;
  throw new AppError(
    'VALIDATION_ERROR',
    `${JSON.stringify(path)} would create a folder with the name ${JSON.stringify(path.split('/')[0])}, because only a shell replaces this name by another folder.`,
    { hint: 'Nothing was written. Give a path inside the memory bank, such as "ideas/garden.md".' },
  );
}

/** The rest of a path that begins with the name of the memory bank, as in git; `undefined` for another path. */
export const pathInBank = (path: string): string | undefined =>
  /^memory-bank\/(.+)/.exec(path)?.[1];

/** Returns the error that `requireNotePath` throws; `undefined` if it throws none. */
export function problemWithNotePath(path: string): AppError | undefined {
  try {
    requireNotePath(path);
    return undefined;
  } catch (error) {
    if (isAppError(error)) return error;
    throw error;
  }
}

/** True for a reserved path: a hidden file or folder, or `insights/`. No note can have it. */
export function isReservedPath(path: string): boolean {
  return path === INSIGHTS || path.startsWith(`${INSIGHTS}/`) || /(^|\/)\./.test(path);
}

/** True for a Markdown file that is not a note, because its name does not end in `.md`. */
export const isMisnamedNote = (path: string) =>
  /\.(md|markdown)$/i.test(path) && !path.endsWith(EXTENSION) && !isReservedPath(path);

export const looksLikeNote = (path: string) => path.endsWith(EXTENSION) && !isReservedPath(path);

/**
 * Whether the note is in or below the folder; without `folder` each is. The composed and the decomposed form of an
 * accent are equal, as for modules.
 */
export const isBelow = (path: string, folder: string | undefined): boolean =>
  folder === undefined ||
  folder === '' ||
  path.normalize('NFC').startsWith(`${folder.normalize('NFC')}/`);
