/** Encryption put together: which files of the machine are the store's, and what opens them. */
import { join } from 'node:path';
import { sha256Hex } from '../base/ids.js';
import type { Config } from '../config/config.js';
import { type ConversionOptions, convertStore } from '../encryption/convert.js';
import { formsOf } from '../encryption/file-forms.js';
import type { GivenKey } from '../encryption/keys.js';
import { type OpenEncryption, openEncryption } from '../encryption/open-encryption.js';
import type { FileForms } from '../files/sealing/file-forms.js';
import type { StorePaths } from '../files/sealing/open-stores.js';
import { CONTENTS_NAME } from '../maintenance/backup-content.js';
import { KnowledgeGraph } from '../stores/knowledge-graph/knowledge-graph.js';
import { graphFiles } from '../stores/knowledge-graph/log/graph-files.js';

const memoryBankOf = ({ root }: Config) => join(root, 'memory-bank');

/** The name of what belongs to this store in the user's cache folder. */
const cacheNameOf = ({ logsDir }: Config): string => sha256Hex(logsDir).slice(0, 32);

function pathsOf(config: Config): StorePaths {
  const { root, logsDir, kg, backup, cacheFolder } = config;
  const { snapshot, sidecar, wal, previousSnapshot, previousWal, rejects } = graphFiles(
    kg.snapshotPath,
    kg.walPath,
  );
  return {
    sealed: [logsDir, memoryBankOf(config)],
    guarded: [root, backup.folder],
    cacheFolder,
    cacheName: cacheNameOf(config),
    lineFiles: [snapshot, sidecar, wal, previousSnapshot, previousWal, rejects],
  };
}

/** Throws like `openEncryption`. */
export async function openStoreEncryption(
  config: Config,
): Promise<OpenEncryption & { readonly forms: FileForms }> {
  const paths = pathsOf(config);
  const opened = await openEncryption(config.logsDir, paths, config.encryption);
  // In archives the files of the graph have their usual names.
  const usual = Object.values(graphFiles('kg_snapshot.json', 'kg_wal.log')).filter(isLineFile);
  return {
    ...opened,
    forms: formsOf(opened.key, [...paths.lineFiles, ...usual].filter(isLineFile)),
  };
}

/** The sidecar is about the file as it lies there, and stays readable. */
const isLineFile = (path: string) => /\.(json|log)$/.test(path);

/** See `convertStore`. `wanted`: what opens the store afterwards; `undefined`: nothing is needed. */
export function convertEncryption(
  config: Config,
  wanted: GivenKey | undefined,
  onFile: NonNullable<ConversionOptions['onFile']>,
) {
  const { logsDir, kg, fsync, encryption } = config;
  const memoryBank = memoryBankOf(config);
  const locks = [
    join(logsDir, '.locks'),
    join(memoryBank, '.locks'),
    graphFiles(kg.snapshotPath, kg.walPath).locks,
  ];
  return convertStore({
    logsFolder: logsDir,
    memoryBank,
    paths: pathsOf(config),
    locks: [...new Set(locks)],
    archives: { folder: join(config.root, 'archive'), contentsName: CONTENTS_NAME },
    current: encryption,
    wanted,
    fsync,
    onFile,
    async saveGraph() {
      const graph = new KnowledgeGraph({ ...kg, syncsAppends: kg.fsync, fsync });
      await graph.save().finally(() => graph.close());
    },
  });
}
