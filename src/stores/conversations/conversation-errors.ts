/** The errors about ids and keys of conversations, and about ids of messages, that several modules throw. */
import { AppError } from '../../base/errors.js';

export function invalidRef(ref: string): AppError {
  return new AppError(
    'VALIDATION_ERROR',
    `${JSON.stringify(ref.slice(0, 150))} cannot be the id or key of a conversation.`,
    {
      hint: 'Give an id such as 20250124-1737730800123, or a key of your own: 1 to 128 of the characters a to z, A to Z, 0 to 9, ".", "_" and "-". The title may have any characters: to find a conversation by its title, call `get_conversations`.',
    },
  );
}

export function notFound(ref: string): AppError {
  return new AppError('CONVERSATION_NOT_FOUND', `Conversation ${ref} does not exist.`, {
    details: { conversationId: ref },
  });
}

export function noMessage(conversationId: string, givenId: string): AppError {
  const messageId = givenId.slice(0, 200);
  return new AppError(
    'MESSAGE_NOT_FOUND',
    `Conversation ${conversationId} has no message ${JSON.stringify(messageId)}.`,
    { details: { conversationId, messageId } },
  );
}

/**
 * The error for a conversation that cannot be added or restored, because its id exists already. `from`: what
 * to restore after the existing one was deleted; by its id, the one that was just deleted would be restored.
 */
export function idTaken(conversationId: string, from?: string): AppError {
  return new AppError('ALREADY_EXISTS', `The conversation ${conversationId} already exists.`, {
    hint: `Nothing was overwritten. Delete the existing conversation first${from === undefined ? '' : `, then restore ${from}`}.`,
    details: { conversationId },
  });
}

/** The error for a new conversation whose key another conversation has. */
export function keyInUse(clientId: string, conversationId: string): AppError {
  return new AppError(
    'ALREADY_EXISTS',
    `Conversation ${conversationId} already has the key ${clientId}.`,
    {
      details: { conversationId, clientId },
    },
  );
}

/** The error for a change by key if several conversations have the key. `ids`: their ids. */
export function keyInUseTwice(clientId: string, ids: readonly string[]): AppError {
  return new AppError(
    'CONFLICT',
    `The key ${clientId} belongs to ${ids.length} conversations: ${ids.join(', ')}.`,
    {
      hint: 'Nothing was changed. Use the id, or remove the line "clientId" from the conversation.json of the copies.',
      details: { clientId, conversationIds: [...ids] },
    },
  );
}
