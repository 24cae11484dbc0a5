/** The write locks of a root, in all its folders. */
import { join } from 'node:path';
import type { Config } from '../config/config.js';
import { locksFolderIn } from '../files/locks/lock-folders.js';
import { heldLocks, type LockFacts } from '../files/locks/lock-inspection.js';
import { graphFiles } from '../stores/knowledge-graph/log/graph-files.js';

/** The locks of each folder, sorted by name. Throws FILESYSTEM_ERROR. */
export async function locksOf({ root, logsDir, kg }: Config): Promise<LockFacts[]> {
  const folders = new Set([
    locksFolderIn(logsDir),
    locksFolderIn(join(root, 'memory-bank')),
    graphFiles(kg.snapshotPath, kg.walPath).locks,
  ]);
  return (await Promise.all([...folders].map(heldLocks))).flat();
}
