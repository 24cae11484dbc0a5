/** The errors after which work on many conversations skips one conversation and continues. */
import { isAppError } from '../base/errors.js';

const CODES = ['CONVERSATION_NOT_FOUND', 'CONFLICT', 'CONVERSATION_CORRUPTED'] as const;

/** Returns the reason for the report. Rethrows all other errors. */
export function skipReasonOf(error: unknown): string {
  if (isAppError(error) && CODES.some((code) => code === error.code)) return error.message;
  throw error;
}
