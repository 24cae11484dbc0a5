/**
 * The exit statuses of all commands. 0: success; 1: nothing was found, or the result is incomplete; 2: an
 * error or wrong arguments; 130: stopped by Ctrl-C.
 */
import type { AppError, ErrorCode } from '../../base/errors.js';

export const OK = 0;
export const NOTHING_FOUND = 1;
export const FAILED = 2;
/** Stopped by Ctrl-C: 128 + SIGINT, as in shells. */
export const INTERRUPTED = 130;

const NOT_FOUND: ReadonlySet<ErrorCode> = new Set([
  'CONVERSATION_NOT_FOUND',
  'MESSAGE_NOT_FOUND',
  'E_MB_FILE_NOT_FOUND',
]);

/** `details.missing` marks an error as "not found" if its code does not. */
export function statusOf({ code, details }: AppError): number {
  if (code === 'CANCELLED') return INTERRUPTED;
  return NOT_FOUND.has(code) || details?.['missing'] !== undefined ? NOTHING_FOUND : FAILED;
}
