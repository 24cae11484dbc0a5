/**
 * Locks for assigning client keys to new conversations. A single creation locks its key. A batch takes one
 * lock for all its keys, then reads which keys are locked, and leaves those out. A single creation waits if
 * it finds the lock of a batch. Each of the two creates its own lock before it looks for the other's, so at
 * least one detects the other, and a key is never assigned twice.
 */
import { join } from 'node:path';
import { sha256Hex } from '../../../base/ids.js';
import { type HeldLock, withLock } from '../../../files/locks/file-lock.js';
import { listFolders } from '../../../files/paths/folders.js';
import { readStampNow } from '../../../files/read/stamp.js';

const BATCH_LOCK = 'new-conversations';
const KEY_LOCK = /^key-[0-9a-f]{32}$/;

/**
 * Runs `work` while no other caller of any process can assign the key. `work` must look up the key itself.
 */
export function withKeyLock<T>(
  locksFolder: string,
  clientId: string,
  work: (lock: HeldLock) => Promise<T>,
): Promise<T> {
  return withLock(locksFolder, keyLockName(clientId), async (lock) => {
    const isBatchThere = readStampNow(join(locksFolder, BATCH_LOCK)) !== undefined;
    if (isBatchThere) await withLock(locksFolder, BATCH_LOCK, async () => undefined);
    return work(lock);
  });
}

/** The keys that another caller is assigning, or has just assigned. */
export interface LockedKeys {
  readonly isAnyLocked: boolean;
  isLocked(clientId: string): boolean;
}

/** Runs `work` while no other caller can assign a key, except the locked keys. */
export function withBatchLock<T>(
  locksFolder: string,
  work: (lock: HeldLock, keys: LockedKeys) => Promise<T>,
): Promise<T> {
  return withLock(locksFolder, BATCH_LOCK, async (lock) => {
    const names = await listFolders(locksFolder);
    const locked = new Set(names.filter((name) => KEY_LOCK.test(name)));
    const isLocked = (clientId: string) => locked.has(keyLockName(clientId));
    return work(lock, { isAnyLocked: locked.size > 0, isLocked });
  });
}

/** The name of the lock of one key. It is acquired before the conversation's own lock. */
function keyLockName(clientId: string): string {
  return `key-${sha256Hex(clientId).slice(0, 32)}`;
}
