/**
 * Permanent removal of what is already in the trash: a conversation, note or insight that is named by what it was,
 * or by its name in the trash. An existing item with the same id, key or path comes first, but not before a name
 * in the trash that has the time of the deletion.
 */
import type { App } from '../app.js';
import { isAppError } from '../base/errors.js';
import type { TrashEntry } from '../files/trash/trash-folder.js';
import type { TrashedConversation } from '../stores/conversations/conversation-trash.js';
import { CONVERSATION_ID } from '../stores/conversations/document/conversation-id.js';
import { TRASHED_CONVERSATION } from '../stores/conversations/files/trashed-ids.js';
import { INSIGHT_ID } from '../stores/insights/schema.js';

/**
 * The entries of the trash with this id or key, the last deleted first. Several have the same id if a
 * conversation was deleted again after a restore; with the name of an entry, only this one. Empty if a conversation
 * has the id or key now. FILESYSTEM_ERROR, VALIDATION_ERROR (neither an id, a key nor a name).
 */
export async function deletedAs(
  { conversations }: Pick<App, 'conversations'>,
  ref: string,
): Promise<readonly TrashedConversation[]> {
  const isName = TRASHED_CONVERSATION.test(ref) && !CONVERSATION_ID.test(ref);
  if (!isName && (await conversations.exists(ref))) return [];
  const trashed = await conversations.trashed();
  if (isName) return trashed.filter(({ name }) => name === ref);
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

/**
 * The deleted notes with this path, or the one with this name in the trash. Empty if there is such a note now, unless
 * the name has the time of the deletion: then the note is a copy that a person made of the deleted one.
 */
export async function deletedNotes(
  { memoryBank }: Pick<App, 'memoryBank'>,
  path: string,
): Promise<readonly TrashEntry[]> {
  const entries = await memoryBank.trashed();
  const timed = entries.find(({ name, deletedAt }) => name === path && deletedAt !== undefined);
  if (timed !== undefined) return [timed];
  const isThere = await memoryBank.read(path).then(
    () => true,
    (error: unknown) => {
      if (!isAppError(error)) throw error;
      return error.code !== 'E_MB_FILE_NOT_FOUND'; // a note that cannot be read is there
    },
  );
  return isThere ? [] : chosenFrom(entries, path);
}

/** Returns false if there is none. Throws like `MemoryBank.purge`. */
export async function purgeDeletedNotes(app: Pick<App, 'memoryBank'>, path: string) {
  const entries = await deletedNotes(app, path);
  for (const { name } of entries) await app.memoryBank.purge(name);
  return entries.length > 0;
}

/**
 * Removes the insight permanently or, if there is none with this id, the deleted ones with this id or name in the
 * trash. Returns false if there is none. Throws like `InsightStore.remove` and `purge`.
 */
export async function removeInsight({ insights }: Pick<App, 'insights'>, idOrName: string) {
  if (INSIGHT_ID.test(idOrName) && (await insights.remove(idOrName))) return true;
  const entries = chosenFrom(await insights.trashed(), idOrName);
  for (const { name } of entries) await insights.purge(name);
  return entries.length > 0;
}

function chosenFrom<T extends TrashEntry>(entries: readonly T[], given: string): readonly T[] {
  const named = entries.filter(({ name }) => name === given);
  return named.length > 0 ? named : entries.filter(({ original }) => original === given);
}
