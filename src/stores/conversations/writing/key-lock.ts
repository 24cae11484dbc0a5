/**
 * Locks for giving a client key to a new conversation. One caller locks that key. A batch of new
 * conversations takes one lock for all its keys, then reads which keys are locked, and leaves those out. A
 * caller that has the lock of its key waits for a batch that it finds. Each of the two creates its own
 * lock before it reads the other's, so at least one detects the other, and a key is never given twice.
 */
import { join } from 'node:path';
import { withLock } from '../../../files/locks/file-lock.js';
import type { HeldLock } from '../../../files/locks/lock-handle.js';
import { listFolders } from '../../../files/paths/folders.js';
import { readStampNow } from '../../../files/read/stamp.js';
import { lockOfKey } from '../refs.js';

const BATCH_LOCK = 'new-conversations';
const KEY_LOCK = /^key-[0-9a-f]{32}$/;

/** Runs `work` while no other caller, of any process, can give the key. `work` must look the key up itself. */
export function withKeyLock<T>(
  locksFolder: string,
  clientId: string,
  work: (lock: HeldLock) => Promise<T>,
): Promise<T> {
  return withLock(locksFolder, lockOfKey(clientId), async (lock) => {
    const isBatchThere = readStampNow(join(locksFolder, BATCH_LOCK)) !== undefined;
    if (isBatchThere) await withLock(locksFolder, BATCH_LOCK, async () => undefined);
    return work(lock);
  });
}

/**
 * Runs `work` while no caller can give a key, except those for which `isLocked` is true: another caller is
 * about to give them, or has just given them. `isAny`: whether there is such a key.
 */
export function withBatchLock<T>(
  locksFolder: string,
  work: (
    lock: HeldLock,
    keys: { readonly isAny: boolean; isLocked(clientId: string): boolean },
  ) => Promise<T>,
): Promise<T> {
  return withLock(locksFolder, BATCH_LOCK, async (lock) => {
    const names = await listFolders(locksFolder);
    const locked = new Set(names.filter((name) => KEY_LOCK.test(name)));
    const isLocked = (clientId: string) => locked.has(lockOfKey(clientId));
    return work(lock, { isAny: locked.size > 0, isLocked });
  });
}
