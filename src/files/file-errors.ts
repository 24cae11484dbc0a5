/**
 * The errors of files: of a system call, with a code and a hint for its errno, and those that Daybook finds
 * itself. `details` has the path and the errno; `cause` is the original error, for the log.
 */
import { AppError, errnoOf } from '../base/errors.js';

const NO_PERMISSION = 'This step changed nothing. Check the owner and the permissions (ls -l).';
const HINTS: Readonly<Record<string, string>> = {
  EACCES: NO_PERMISSION,
  EPERM: NO_PERMISSION,
  EROFS: 'This step changed nothing. The disk is mounted read-only: mount it for writing.',
  ENOENT: 'This file or folder does not exist: check the path.',
  ENOTDIR:
    'This step changed nothing. One of the folders in this path is a file: rename the file, or choose another path.',
  EISDIR: 'This is a folder. Give the path of a file.',
};
/** The text of an errno in messages. */
const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'no permission, EACCES',
  EPERM: 'not permitted, EPERM',
  EROFS: 'read-only, EROFS',
  ENOENT: 'it does not exist, ENOENT',
  ENOTDIR: 'not a folder, ENOTDIR',
};
const FULL = new Set(['ENOSPC', 'EDQUOT']);
/** The errors of a path at which there is nothing. */
export const ABSENT = ['ENOENT', 'ENOTDIR'];
/** The errors on Windows for a rename onto a folder that exists or is being removed. */
export const TAKEN_ON_WINDOWS = ['EPERM', 'EACCES', 'EBUSY'];

/**
 * Returns STORAGE_FULL if the disk or the quota is full, otherwise FILESYSTEM_ERROR. Returns an AppError
 * unchanged. `doing`: the verb in the message "Could not … <path>".
 */
export function fileError(error: unknown, doing: string, path: string): AppError {
  if (error instanceof AppError) return error;
  const errno = errnoOf(error);
  const details = { path, ...(errno === undefined ? {} : { errno }) };
  if (errno !== undefined && FULL.has(errno)) {
    return new AppError('STORAGE_FULL', `The disk is full: could not ${doing} ${path}.`, {
      details,
      cause: error,
    });
  }
  const why = errno === undefined ? 'unknown' : (REASONS[errno] ?? errno);
  return new AppError('FILESYSTEM_ERROR', `Could not ${doing} ${path} (${why}).`, {
    ...(errno !== undefined && HINTS[errno] && { hint: HINTS[errno] }),
    details,
    cause: error,
  });
}

/** Only a part of the content could be written. */
export function diskFullError(path: string, written: number | bigint, sizeBytes: number): AppError {
  const message = `The disk is full: only ${written} of the ${sizeBytes} bytes for ${path} could be written.`;
  return new AppError('STORAGE_FULL', message, { details: { path } });
}

export function alreadyExistsError(path: string, cause?: unknown): AppError {
  const message = `${path} already exists. Nothing was written.`;
  return new AppError('ALREADY_EXISTS', message, { details: { path }, cause });
}

/** The file is no longer the version that the new content was made from. */
export function changedMeanwhileError(path: string, cause?: unknown): AppError {
  return new AppError('CONFLICT', `Another program has just changed ${path}.`, {
    hint: 'Daybook did not change the file. Run the same command again.',
    details: { path },
    cause,
  });
}

/** Runs `work` and throws its error as `fileError(…)`. */
export async function withFileError<T>(
  doing: string,
  path: string,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw fileError(error, doing, path);
  }
}

/**
 * Awaits `work`. Returns `undefined` for an error with one of these errno names; rethrows all other errors.
 */
export async function ignoreErrno<T>(
  errnos: readonly string[],
  work: Promise<T>,
): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    const errno = errnoOf(error);
    if (errno !== undefined && errnos.includes(errno)) return undefined;
    throw error;
  }
}
