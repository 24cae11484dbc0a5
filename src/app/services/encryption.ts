/** Opens and converts the encryption of a store: which files belong to it, and which key opens them. */
import { join } from 'node:path';
import type { Config } from '../../config/config.js';
import { isKeychainInstalled, systemKeychain } from '../../encryption/keychain.js';
import type { GivenKey, WantedKey } from '../../encryption/keys.js';
import { type OpenEncryption, openEncryption } from '../../encryption/open-encryption.js';
import { type ConversionOptions, convertStore } from '../../encryption/re-encrypt-store.js';
import { fileSealerOf } from '../../encryption/store-file-sealer.js';
import { optionalPackages } from '../../files/optional-packages.js';
import type { FileSealer } from '../../files/sealing/file-sealer.js';
import type { StorePaths } from '../../files/sealing/open-stores.js';
import { CONTENTS_NAME } from '../../maintenance/check-archive.js';
import { KnowledgeGraph } from '../../stores/knowledge-graph/knowledge-graph.js';
import { graphFiles } from '../../stores/knowledge-graph/log/graph-files.js';
import { cacheNameOf } from '../cache-paths.js';
import { locksFoldersOf } from '../locks.js';

function pathsOf(config: Config): StorePaths {
  const { root, logsDir, memoryBankFolder, kg, backup, cacheFolder } = config;
  const { snapshot, sidecar, wal, previousSnapshot, previousWal, rejects } = graphFiles(
    kg.snapshotPath,
    kg.walPath,
  );
  return {
    sealed: [logsDir, memoryBankFolder],
    guarded: [root, backup.folder],
    cacheFolder,
    cacheName: cacheNameOf(config),
    lineFiles: [snapshot, sidecar, wal, previousSnapshot, previousWal, rejects],
  };
}

/** The folder in which `daybook encrypt --keychain` installs the package for the system's keychain. */
export const keychainPackages = ({ cacheFolder }: Config): string =>
  join(cacheFolder, 'keychain', 'packages');

export const hasKeychainPackage = (config: Config): boolean =>
  isKeychainInstalled(optionalPackages(keychainPackages(config)));

const keychainOf = (config: Config) => systemKeychain(optionalPackages(keychainPackages(config)));

const givenKey = (config: Config): GivenKey => ({
  ...config.encryption,
  keychain: keychainOf(config),
});

interface StoreEncryption extends OpenEncryption {
  readonly sealer: FileSealer;
  /** A sentence for the user, if a key is set but the store is not encrypted. */
  readonly unusedKey: string | undefined;
}

/** Throws the errors of `openEncryption`. */
export async function openStoreEncryption(
  config: Config,
  isMixed = false,
): Promise<StoreEncryption> {
  const paths = pathsOf(config);
  const opened = await openEncryption(config.logsDir, paths, givenKey(config), isMixed);
  // Inside archives the files of the graph always have their default names.
  const usual = Object.values(graphFiles('kg_snapshot.json', 'kg_wal.log')).filter(isLineFile);
  return {
    ...opened,
    unusedKey: opened.key === undefined ? unusedKeyNotice(config) : undefined,
    sealer: fileSealerOf(opened.key, [...paths.lineFiles, ...usual].filter(isLineFile)),
  };
}

/** The user may believe that the files are encrypted, because the key is set. */
function unusedKeyNotice({ encryption: { keyFile, passphrase } }: Config): string | undefined {
  if (keyFile === undefined && passphrase === undefined) return undefined;
  const name = keyFile === undefined ? 'DAYBOOK_PASSPHRASE' : 'DAYBOOK_KEY_FILE';
  const option = keyFile === undefined ? '--passphrase' : '--key-file FILE';
  return `${name} is set, but the files of this store are not encrypted; to encrypt them, run daybook encrypt ${option}.`;
}

/** The sidecar is not encrypted, because it has the checksum of the encrypted file. */
const isLineFile = (path: string) => /\.(json|log)$/.test(path);

/** See `convertStore`. `wanted`: the new key; `undefined` means no encryption. */
export function convertEncryption(
  config: Config,
  wanted: WantedKey | undefined,
  run: Pick<ConversionOptions, 'onFile' | 'signal'>,
) {
  const { logsDir, memoryBankFolder, kg, fsync, backup, exportsFolder, archiveFolder } = config;
  return convertStore({
    logsFolder: logsDir,
    memoryBank: memoryBankFolder,
    paths: pathsOf(config),
    locks: locksFoldersOf(config),
    archives: { folder: archiveFolder, contentsName: CONTENTS_NAME },
    copies: [archiveFolder, backup.folder, exportsFolder],
    current: givenKey(config),
    wanted: wanted && { ...wanted, keychain: keychainOf(config) },
    fsync,
    ...run,
    async saveGraph() {
      const graph = new KnowledgeGraph({ ...kg, syncsAppends: kg.fsync, fsync });
      await graph.save().finally(() => graph.close());
    },
  });
}
