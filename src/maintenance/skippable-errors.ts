/** The errors for which work on many conversations skips one and continues. */
import { isAppError } from '../base/errors.js';

const CODES = ['CONVERSATION_NOT_FOUND', 'CONFLICT', 'CONVERSATION_CORRUPTED'] as const;

/** The reason to say. Throws every other error. */
export function reasonOfOne(error: unknown): string {
  if (isAppError(error) && CODES.some((code) => code === error.code)) return error.message;
  throw error;
}
