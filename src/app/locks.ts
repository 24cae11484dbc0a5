/** The write locks of a store, in all its folders, and those of the user's settings. */
import { dirname } from 'node:path';
import type { Config } from '../config/config.js';
import { heldLocks, type LockFacts } from '../files/locks/held-locks.js';
import { locksFolderIn } from '../files/locks/lock-folders.js';
import { graphFiles } from '../stores/knowledge-graph/log/graph-files.js';

/** The folders of the locks. The graph has a folder of its own if it is not in the memory bank. */
export function locksFoldersOf({ logsDir, memoryBankFolder, kg }: Config): string[] {
  const { locks } = graphFiles(kg.snapshotPath, kg.walPath);
  return [...new Set([locksFolderIn(logsDir), locksFolderIn(memoryBankFolder), locks])];
}

/** The locks of the user's settings, which all stores have in common. */
export const settingsLocksOf = ({ configFile }: Pick<Config, 'configFile'>): string =>
  locksFolderIn(dirname(configFile));

/** The locks of each folder, also those of the settings, sorted by name. Throws FILESYSTEM_ERROR. */
export async function locksOf(config: Config): Promise<LockFacts[]> {
  const folders = [...locksFoldersOf(config), settingsLocksOf(config)];
  return (await Promise.all(folders.map(heldLocks))).flat();
}
