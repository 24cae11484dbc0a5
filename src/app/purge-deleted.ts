/** Permanent removal of a conversation that is already in the trash. */

import type { App } from '../app.js';
import type { TrashedConversation } from '../stores/conversations/conversation-trash.js';

/**
 * The entries of the trash with this id or key, the last deleted first. Several have the same id if a
 * conversation was deleted again after a restore. Empty if a conversation has the id or key now.
 * FILESYSTEM_ERROR, VALIDATION_ERROR (neither an id nor a key).
 */
export async function deletedAs(
  { conversations }: Pick<App, 'conversations'>,
  ref: string,
): Promise<readonly TrashedConversation[]> {
  if (await conversations.exists(ref)) return [];
  const trashed = await conversations.trashed();
  const first = trashed.find(({ conversationId, clientId }) =>
    [conversationId, clientId].includes(ref),
  );
  return trashed.filter(({ conversationId }) => conversationId === first?.conversationId);
}

/** Removes the entries permanently. Throws like `ConversationStore.purge`. */
export async function purgeDeleted(
  { conversations }: Pick<App, 'conversations'>,
  entries: readonly TrashedConversation[],
): Promise<void> {
  for (const { name } of entries) await conversations.purge(name);
}
