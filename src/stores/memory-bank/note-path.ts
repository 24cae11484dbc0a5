/**
 * Which paths are notes: `.md` below the memory bank, outside of folders of other programs there
 * (hidden folders such as `.git` and `.trash`, and the insights).
 */
import { AppError, isAppError } from '../../base/errors.js';
import { requireConfined } from '../../files/paths/confined-file.js';
import { skeletonOf } from '../../files/paths/confusables.js';

const EXTENSION = '.md';
const INSIGHTS = 'insights';

/** PATH_ESCAPE: leads elsewhere; VALIDATION_ERROR: no markdown file. No file is touched. */
export function requireNotePath(path: string): void {
  requireConfined(path);
  // On a disk that ignores case, a name that differs only in case is the same folder.
  if (isForeign(path) || isForeign(skeletonOf(path))) {
    throw new AppError(
      'PATH_ESCAPE',
      `${JSON.stringify(path)} cannot be the path of a note: names that begin with a dot and the folder ${INSIGHTS}/ are reserved, also with other upper and lower case.`,
    );
  }
  if (path.endsWith(EXTENSION)) return;
  throw new AppError(
    'VALIDATION_ERROR',
    `The path of a note must end in ${EXTENSION}: ${JSON.stringify(path)} does not.`,
  );
}

/**
 * The same for a note that is to be made. A path as only a shell reads it would make a folder called
 * `~` or `$HOME`: VALIDATION_ERROR. One that exists can be read, moved and deleted.
 */
export function requireNewNotePath(path: string): void {
  requireNotePath(path);
  if (!/^(~|\$)[^/]*\//.test(path)) return;
  throw new AppError(
    'VALIDATION_ERROR',
    `${JSON.stringify(path)} would create a folder with the name ${JSON.stringify(path.split('/')[0])}, because only a shell replaces this name by another folder.`,
    { hint: 'Nothing was written. Give a path inside the memory bank, such as "ideas/garden.md".' },
  );
}

/** The error that `requireNotePath` throws. */
export function problemWithNotePath(path: string): AppError | undefined {
  try {
    requireNotePath(path);
    return undefined;
  } catch (error) {
    if (isAppError(error)) return error;
    throw error;
  }
}

/** True for a file or folder that no note can be in, whatever its ending. */
export function isForeign(path: string): boolean {
  return path === INSIGHTS || path.startsWith(`${INSIGHTS}/`) || /(^|\/)\./.test(path);
}

export const looksLikeNote = (path: string) => path.endsWith(EXTENSION) && !isForeign(path);
