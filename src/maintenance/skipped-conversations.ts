/** The conversations that work on many conversations skips, each with the reason. The work continues. */
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

/** The errors that concern only this conversation. */
const OF_ONE = ['CONVERSATION_NOT_FOUND', 'CONFLICT', 'CONVERSATION_CORRUPTED'] as const;

/**
 * Returns why the conversation is skipped; `undefined` if `move` moved it. `move` returns false if the
 * conversation has changed. Throws the errors of `move` that do not concern only this conversation.
 */
export async function skipReasonOf(move: () => Promise<boolean>): Promise<string | undefined> {
  try {
    return (await move()) ? undefined : 'it has changed since it was chosen';
  } catch (error) {
    if (isAppError(error, ...OF_ONE)) return error.message;
    throw error;
  }
}
