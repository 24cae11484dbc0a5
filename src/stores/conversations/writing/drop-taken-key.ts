/**
 * Removes the key of a conversation that was restored from an archive, if another conversation has this key now.
 * For one from the trash, conversation-trash.ts does this before it is moved back.
 */
import { withLock } from '../../../files/locks/file-lock.js';
import { notFound } from '../conversation-errors.js';
import type { StoreCore } from '../store-core.js';
import { withKeyLock } from './key-lock.js';

/**
 * Takes an id. Returns the key; `undefined` if nothing was removed. CONVERSATION_CORRUPTED, FILESYSTEM_ERROR.
 */
export async function dropTakenKey(
  core: StoreCore,
  conversationId: string,
): Promise<string | undefined> {
  const { files, catalogue, locksFolder, options } = core;
  await catalogue.refresh();
  const taken = catalogue
    .duplicateKeys()
    .find(({ conversationIds }) => conversationIds.includes(conversationId));
  if (taken === undefined) return undefined;
  const { clientId } = taken;
  await withKeyLock(locksFolder, clientId, () =>
    withLock(locksFolder, conversationId, async (lock) => {
      const path = files.fileOf(conversationId);
      const found = await files.readUncached(conversationId, path);
      if (found === undefined) throw notFound(conversationId);
      found.document.amend({ clientId: undefined });
      const text = found.document.render(found.document.draftHead());
      await lock.replace(path, text, options, { base: found.stamp });
    }),
  );
  await core.reload(conversationId);
  return clientId;
}
