/** Restores of conversations with keys: a key that another conversation has now is removed. */
import { type HeldLock, withLock } from '../../../files/locks/file-lock.js';
import { readStamp } from '../../../files/read/stamp.js';
import { idTaken, notFound } from '../conversation-errors.js';
import type { ConversationHead } from '../document/schema.js';
import type { StoreCore } from '../store-core.js';
import { withKeyLock } from './key-lock.js';

export type Restorable = Pick<ConversationHead, 'conversationId' | 'clientId'>;

/**
 * Runs `add`, which adds a conversation of an archive with its key, and removes the key if another conversation has
 * it. No other process can write the conversation or assign the key meanwhile. Returns the removed key. ALREADY_EXISTS,
 * LOCKED, CONVERSATION_CORRUPTED, FILESYSTEM_ERROR, and whatever `add` throws.
 */
export async function addRestored(
  core: StoreCore,
  { conversationId, clientId }: Restorable,
  add: () => Promise<void>,
): Promise<string | undefined> {
  const { files, catalogue, locksFolder } = core;
  const path = files.fileOf(conversationId);
  let isAdded = false;
  const addLocked = () =>
    withLock(locksFolder, conversationId, async (lock) => {
      if (!isAdded && (await readStamp(path)) !== undefined) throw idTaken(conversationId);
      if (!isAdded) await add();
      isAdded = true;
      await catalogue.refreshSome([conversationId]);
      if (clientId === undefined) return undefined;
      await catalogue.refresh();
      if (catalogue.idsOfKey(clientId).every((id) => id === conversationId)) return undefined;
      await removeKey(core, conversationId, path, lock);
      await core.reload(conversationId);
      return clientId;
    });
  return clientId === undefined ? addLocked() : withKeyLock(locksFolder, clientId, addLocked);
}

/**
 * `path`: the file of the conversation, which is in the trash before a restore from there. CONVERSATION_NOT_FOUND
 * if it is missing; CONVERSATION_CORRUPTED, FILESYSTEM_ERROR.
 */
export async function removeKey(
  { files, options }: StoreCore,
  conversationId: string,
  path: string,
  lock: HeldLock,
): Promise<void> {
  const found = await files.readUncached(conversationId, path);
  if (found === undefined) throw notFound(conversationId);
  found.document.amend({ clientId: undefined });
  const text = found.document.render(found.document.draftHead());
  await lock.replace(path, text, options, { base: found.stamp });
}
