/** What work on many conversations leaves out: after some errors it skips one conversation and continues. */
import { isAppError } from '../base/errors.js';
import type { ConversationStore } from '../stores/conversations/conversations.js';

/** A conversation that was left out, with the reason. */
export interface Skipped {
  readonly conversationId: string;
  readonly reason: string;
}

/** The conversations that no rule can select, because they cannot be read. Call it after a list. */
export const unreadable = (store: Pick<ConversationStore, 'damaged'>): Skipped[] =>
  store.damaged().map(({ conversationId, error }) => ({ conversationId, reason: error.message }));

const CODES = ['CONVERSATION_NOT_FOUND', 'CONFLICT', 'CONVERSATION_CORRUPTED'] as const;

/** Returns the reason for the report. Rethrows all other errors. */
export function skipReasonOf(error: unknown): string {
  if (isAppError(error) && CODES.some((code) => code === error.code)) return error.message;
  throw error;
}
