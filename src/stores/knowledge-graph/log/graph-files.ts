/**
 * The paths of a graph's files. All are beside the snapshot, except the log, which may be in another folder.
 */
import { basename, dirname, join } from 'node:path';
import { locksFolderIn } from '../../../files/locks/lock-folders.js';

export interface GraphFiles {
  readonly folder: string;
  readonly locks: string;
  readonly snapshot: string;
  /** SHA-256, count and generation of the snapshot. */
  readonly sidecar: string;
  readonly wal: string;
  readonly previousSnapshot: string;
  readonly previousWal: string;
  readonly rejects: string;
}

/** The paths of all files of a graph, from the absolute paths of its snapshot and its log. No I/O. */
export function graphFiles(snapshot: string, wal: string): GraphFiles {
  const folder = dirname(snapshot);
  return {
    folder,
    locks: locksFolderIn(folder),
    snapshot,
    wal,
    sidecar: `${withoutEnding(snapshot)}.sha256`,
    previousSnapshot: `${withoutEnding(snapshot)}.previous.json`,
    previousWal: `${withoutEnding(wal)}.previous.log`,
    rejects: rejectsOf(snapshot),
  };
}

/** Each graph in the same folder has its own rejects file. */
function rejectsOf(snapshot: string): string {
  const isUsual = basename(snapshot) === 'kg_snapshot.json';
  return isUsual
    ? join(dirname(snapshot), 'kg_rejects.log')
    : `${withoutEnding(snapshot)}.rejects.log`;
}

const withoutEnding = (path: string) => path.replace(/\.(json|log)$/, '');
