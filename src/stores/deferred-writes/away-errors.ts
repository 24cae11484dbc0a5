/** Which failures of a write mean that the whole store cannot be written now. */
import { type AppError, isAppError } from '../../base/errors.js';

/** Errors of the whole file system. */
const WHOLE = new Set([
  'EROFS',
  'ESTALE',
  'ENODEV',
  'ENXIO',
  'ENOTCONN',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ETIMEDOUT',
]);
/** Errors of one file or of the whole file system: another write must decide. */
const UNSURE = new Set(['EIO', 'EACCES', 'EPERM', 'ENOENT', 'ENOTDIR']);

/**
 * `maybe`: the error may concern this file alone. A store at its own limit (DAYBOOK_MAX_SIZE_MB) does not
 * count as away.
 */
export function meansUnavailable(error: unknown): 'yes' | 'maybe' | 'no' {
  if (isAppError(error, 'STORAGE_UNAVAILABLE')) return 'yes';
  if (isAppError(error, 'STORAGE_FULL'))
    return error.details?.['path'] === undefined ? 'no' : 'yes';
  if (!isAppError(error, 'FILESYSTEM_ERROR')) return 'no';
  const errno = String((error satisfies AppError).details?.['errno']);
  if (WHOLE.has(errno)) return 'yes';
  return UNSURE.has(errno) ? 'maybe' : 'no';
}
