/** Removes the key of a conversation that is restored, if another conversation has this key now. */
import { type HeldLock, withLock } from '../../../files/locks/file-lock.js';
import { notFound } from '../conversation-errors.js';
import type { StoreCore } from '../store-core.js';
import { withKeyLock } from './key-lock.js';

/**
 * After a conversation was restored from an archive. Returns the key; `undefined` if nothing was removed.
 * CONVERSATION_CORRUPTED, FILESYSTEM_ERROR.
 */
export async function dropTakenKey(
  core: StoreCore,
  conversationId: string,
): Promise<string | undefined> {
  const { files, catalogue, locksFolder } = core;
  await catalogue.refresh();
  const taken = catalogue
    .duplicateKeys()
    .find(({ conversationIds }) => conversationIds.includes(conversationId));
  if (taken === undefined) return undefined;
  const { clientId } = taken;
  await withKeyLock(locksFolder, clientId, () =>
    withLock(locksFolder, conversationId, (lock) =>
      removeKey(core, conversationId, files.fileOf(conversationId), lock),
    ),
  );
  await core.reload(conversationId);
  return clientId;
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
