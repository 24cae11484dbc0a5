/** Adds a whole conversation from an export under its own id, and only if no other conversation has its key. */
import type { JsonObject } from '../../../base/json-fields.js';
import { readStampNow } from '../../../files/read/stamp.js';
import type { ConversationStore } from '../conversations.js';
import type { ConversationDocuments } from '../files/conversation-documents.js';

interface AddOptions {
  readonly store: ConversationStore;
  readonly documents: ConversationDocuments;
}

/**
 * Adds a new conversation under its own id, in one batch with others; if its folder exists without a
 * `conversation.json`, it is written alone. Throws ALREADY_EXISTS (its id or key is taken), and what
 * writing throws.
 */
export async function addUnder(
  conversationId: string,
  value: JsonObject,
  { store, documents }: AddOptions,
): Promise<void> {
  if (readStampNow(store.path(conversationId)) === undefined) {
    await store.batches.addWhole(await documents.document(conversationId, value));
  } else {
    await documents.add(conversationId, value);
    await store.refreshOne(conversationId);
  }
}
