/** Which locks this process owns now. Only lock-acquisition.ts changes this. */

/**
 * The names of this process that own a lock or are about to. Any other name of this process on a lock was
 * left by a release that failed, or by a folder that was moved away and back. It counts as dead.
 */
export const ownedNames = new Set<string>();

/** Whether this process owns a lock, and so may be in the middle of a write. */
export const isLockOwned = (): boolean => ownedNames.size > 0;
