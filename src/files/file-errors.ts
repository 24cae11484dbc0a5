/**
 * Turns a system call's failure into an error that a person can act on.
 * The path and errno go into `details`; the cause stays attached for the log.
 */
import { AppError, errnoOf } from '../base/errors.js';

const HINTS: Readonly<Record<string, string>> = {
  ENOENT: 'There is no such file or folder: check the path.',
  EISDIR: 'That is a folder: name a file.',
};
const FULL = new Set(['ENOSPC', 'EDQUOT']);

/** STORAGE_FULL where the disk or quota is full, else FILESYSTEM_ERROR; an AppError passes unchanged. */
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
  return new AppError('FILESYSTEM_ERROR', `Could not ${doing} ${path} (${errno ?? 'unknown'}).`, {
    ...(errno !== undefined && HINTS[errno] && { hint: HINTS[errno] }),
    details,
    cause: error,
  });
}

/** Runs `work`; a failure comes out as `fileError(…)`. */
export async function reporting<T>(
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

/** Runs `work`; an error with one of these errno names gives `undefined`, any other is rethrown. */
export async function unless<T>(
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
