/** Which errors leave out one conversation, so that work on many of them goes on. */
import { isAppError } from '../base/errors.js';

const CODES = ['CONVERSATION_NOT_FOUND', 'CONFLICT', 'CONVERSATION_CORRUPTED'] as const;

/** The reason to say. Throws every other error. */
export function reasonOfOne(error: unknown): string {
  if (isAppError(error) && CODES.some((code) => code === error.code)) return error.message;
  throw error;
}
