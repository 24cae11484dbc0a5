/** Makes the redactor with all folders of a root that can contain a text, and all files made from them. */
import type { Config } from '../../config/config.js';
import type { FileSealer } from '../../files/sealing/file-sealer.js';
import { CONTENTS_NAME } from '../../maintenance/check-archive.js';
import { Redactor } from '../../privacy/redactor.js';
import { graphFiles } from '../../stores/knowledge-graph/log/graph-files.js';
import { allIndexCaches, type StrayCaches, vectorsFolder } from '../cache-paths.js';
import { locksFoldersOf } from '../locks.js';

/** `stray`: caches that the root left at another path. Reads no file. */
export function redactorOf(
  config: Config,
  sealer: FileSealer,
  stray: StrayCaches = { indexes: [], vectors: [] },
): Redactor {
  const { root, logsDir: logsFolder, memoryBankFolder, fsync, backup } = config;
  const graph = graphFiles(config.kg.snapshotPath, config.kg.walPath);
  return new Redactor({
    root,
    logsFolder,
    fsync,
    graph,
    contentsName: CONTENTS_NAME,
    sealer,
    bankFolder: memoryBankFolder,
    locksFolders: locksFoldersOf(config),
    otherFolders: [backup.folder],
    derivedFiles: [...Object.values(allIndexCaches(config)), ...stray.indexes],
    derivedFolders: [vectorsFolder(config), ...stray.vectors],
  });
}
