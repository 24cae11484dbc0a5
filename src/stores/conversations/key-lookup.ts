/** Finds the conversation that a caller names by its id or by a key of the caller's own. */
import { withLock } from '../../files/locks/file-lock.js';
import { isPresentSoon } from '../../files/read/settled-read.js';
import { readStamp } from '../../files/read/stamp.js';
import { keyInUseTwice } from './conversation-errors.js';
import { requireRef } from './document/conversation-id.js';
import type { StoreCore } from './store-core.js';

/** Returns the id for an id or a key. An unknown key needs a pass over the whole folder. */
export async function idOf(core: StoreCore, ref: string): Promise<string | undefined> {
  if (requireRef(ref) === 'id') return core.movedIds.get(ref) ?? ref;
  const known = core.catalogue.idOfKey(ref);
  if (known !== undefined) {
    if (core.isInMemory(known)) return known;
    const found = await core.files.readPart(known, { count: 0 });
    if (found?.head.clientId === ref) return known;
  }
  await core.catalogue.refresh();
  return core.catalogue.idOfKey(ref) ?? idOfSavedKey(core, ref);
}

/** Waits for the file of a conversation that had the key, if an editor is saving it. */
async function idOfSavedKey(core: StoreCore, clientId: string): Promise<string | undefined> {
  for (const id of core.catalogue.idsOfLastKey(clientId)) {
    if (await isPresentSoon(core.files.fileOf(id), core.clock))
      await core.catalogue.refreshSome([id]);
  }
  return core.catalogue.idOfKey(clientId);
}

/** Like `idOf`, for writes. CONFLICT if several conversations have the key (a copied folder). LOCKED. */
export async function idForWriting(core: StoreCore, ref: string): Promise<string | undefined> {
  const ids = await idsOf(core, ref);
  if (ids.length < 2) return ids[0];
  // Another process may be merging or restoring one of them. It holds their locks until only one has the key.
  for (const id of ids) await withLock(core.locksFolder, id, () => Promise.resolve());
  await core.catalogue.refreshSome(ids);
  const left = await idsOf(core, ref);
  if (left.length > 1) throw keyInUseTwice(ref, left);
  return left[0];
}

/** All conversations on the disk that have the id or key, the oldest first. */
async function idsOf(core: StoreCore, ref: string): Promise<readonly string[]> {
  const id = await idOf(core, ref);
  if (id === undefined) return [];
  if (id === ref) return [id];
  const ids = [id];
  for (const other of core.catalogue.idsOfKey(ref)) {
    if (other === id) continue;
    const found = await core.files.read(other);
    if (found?.document.head.clientId === ref) ids.push(other);
  }
  return ids;
}

/** Whether the id or key has a conversation; a damaged one exists too. VALIDATION_ERROR, FILESYSTEM_ERROR. */
export async function exists(core: StoreCore, ref: string): Promise<boolean> {
  const id = await idOf(core, ref);
  if (id === undefined) return false;
  if (core.isInMemory(id)) return core.catalogue.head(id) !== undefined;
  return (await readStamp(core.files.fileOf(id))) !== undefined;
}
