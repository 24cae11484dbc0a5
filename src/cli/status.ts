/**
 * How every command ends: 0, done; 1, nothing was found, or something was left out; 2, an error or
 * wrong use; 130, stopped by Ctrl-C.
 */
import type { AppError, ErrorCode } from '../base/errors.js';

export const OK = 0;
export const NOTHING_FOUND = 1;
export const FAILED = 2;
/** Stopped by Ctrl-C, as shells count it. */
export const INTERRUPTED = 130;

const NOT_FOUND: ReadonlySet<ErrorCode> = new Set([
  'CONVERSATION_NOT_FOUND',
  'MESSAGE_NOT_FOUND',
  'E_MB_FILE_NOT_FOUND',
]);

/** `details.missing` names the kind of what is not there, where the code does not say it. */
export function statusOf({ code, details }: AppError): number {
  if (code === 'CANCELLED') return INTERRUPTED;
  return NOT_FOUND.has(code) || details?.['missing'] !== undefined ? NOTHING_FOUND : FAILED;
}
