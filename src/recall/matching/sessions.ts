/**
 * The sessions of a conversation: a long pause between two messages begins a new one. Sessions with other pauses are
 * in analytics/pace.ts and context/last-session.ts.
 */
import type { ConversationTerms } from '../conversation-terms.js';

/** A longer pause ends a session: here it is messages about one subject. */
const SESSION_GAP_MS = 60 * 60_000;

/** The indexes of the first messages of all sessions, then the number of messages. */
export function sessionsOf({ times }: ConversationTerms): Uint32Array {
  const firsts = [0];
  for (let message = 1; message < times.length; message++)
    if (beginsSession(times, message)) firsts.push(message);
  firsts.push(times.length);
  return new Uint32Array(firsts);
}

export const beginsSession = (times: Float64Array, message: number): boolean =>
  (times[message] ?? 0) - (times[message - 1] ?? 0) > SESSION_GAP_MS;
