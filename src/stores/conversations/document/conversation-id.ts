/** The ids of conversations, and the keys that callers may choose instead. */
import { isoTime } from '../../../base/clock.js';
import { invalidRef } from '../conversation-errors.js';

/**
 * UTC date and Unix milliseconds, such as `20250124-1737730800123`. The two parts need not be the same time.
 */
export const CONVERSATION_ID = /^\d{8}-\d{13}$/;

/** Returns the id for a time in Unix milliseconds, from 1970 to 2286. */
export function conversationIdAt(ms: number): string {
  return `${isoTime(ms).slice(0, 10).replaceAll('-', '')}-${String(ms).padStart(13, '0')}`;
}

/** Returns the Unix milliseconds in an id. */
export const timeOfId = (id: string): number => Number(id.slice(9));

/** A key that the caller chose. It never begins like an id, so that the two cannot be confused. */
export const CLIENT_ID = /^(?!\d{8}-\d)[A-Za-z0-9._-]{1,128}$/;

/**
 * Returns which of the two a caller gave; their form alone distinguishes them. VALIDATION_ERROR if it is
 * neither.
 */
export function requireRef(ref: string): 'id' | 'key' {
  if (CONVERSATION_ID.test(ref)) return 'id';
  if (CLIENT_ID.test(ref)) return 'key';
  throw invalidRef(ref);
}
