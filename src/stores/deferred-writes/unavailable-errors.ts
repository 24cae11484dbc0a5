/** Which errors mean that the whole store is away (not available), and what a person can do. */
import { type AppError, ERROR_KINDS, isAppError } from '../../base/errors.js';

/** Errors of the whole file system. */
const WHOLE_FILE_SYSTEM = new Set([
  'EROFS',
  'ESTALE',
  'ENODEV',
  'ENXIO',
  'ENOTCONN',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ETIMEDOUT',
]);
/** Errors of one file or of the whole file system. Another write shows which. */
const UNSURE = new Set(['EIO', 'EACCES', 'EPERM', 'ENOENT', 'ENOTDIR']);

/**
 * `maybe`: the error may be about this file only. A store that has reached DAYBOOK_MAX_SIZE_MB is available.
 */
export function meansUnavailable(error: unknown): 'yes' | 'maybe' | 'no' {
  if (isAppError(error, 'STORAGE_UNAVAILABLE')) return 'yes';
  if (isAppError(error, 'STORAGE_FULL'))
    return error.details?.['path'] === undefined ? 'no' : 'yes';
  if (!isAppError(error, 'FILESYSTEM_ERROR')) return 'no';
  const errno = String((error satisfies AppError).details?.['errno']);
  if (WHOLE_FILE_SYSTEM.has(errno)) return 'yes';
  return UNSURE.has(errno) ? 'maybe' : 'no';
}

const AFTERWARDS = 'Daybook detects it within seconds and stores the writes that wait.';

/** Says how the store becomes writable again. A write that waits must not be repeated by the caller. */
export function whatToDoAbout(error: unknown): string {
  if (isAppError(error, 'STORAGE_FULL')) return `Free some space on the disk. ${AFTERWARDS}`;
  if (!isAppError(error, 'FILESYSTEM_ERROR')) return ERROR_KINDS.STORAGE_UNAVAILABLE.hint;
  return error.details?.['errno'] === 'EROFS'
    ? `The disk is mounted read-only: mount it for writing. ${AFTERWARDS}`
    : `Check that the disk works, and the owner and the permissions of the folder (ls -l). ${AFTERWARDS}`;
}
