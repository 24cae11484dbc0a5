/** Decides which errors of a write mean that the whole store is not available ("away"). */
import { type AppError, isAppError } from '../../base/errors.js';

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
