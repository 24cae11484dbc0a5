/** Which failures of a write mean that the whole store cannot be written now. */
import { type AppError, isAppError } from '../../base/errors.js';

/** The file system as a whole refuses. */
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
/** One file or the whole: only another write tells. */
const UNSURE = new Set(['EIO', 'EACCES', 'EPERM', 'ENOENT', 'ENOTDIR']);

/** `maybe`: it may be this file alone. A store at its own limit (DAYBOOK_MAX_SIZE_MB) is not meant. */
export function meansAway(error: unknown): 'yes' | 'maybe' | 'no' {
  if (isAppError(error, 'STORAGE_UNAVAILABLE')) return 'yes';
  if (isAppError(error, 'STORAGE_FULL'))
    return error.details?.['path'] === undefined ? 'no' : 'yes';
  if (!isAppError(error, 'FILESYSTEM_ERROR')) return 'no';
  const errno = String((error satisfies AppError).details?.['errno']);
  if (WHOLE.has(errno)) return 'yes';
  return UNSURE.has(errno) ? 'maybe' : 'no';
}
