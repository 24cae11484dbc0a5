/**
 * `daybook encrypt` and `daybook decrypt`: convert all files of the store in place. If a conversion was
 * interrupted, the same command continues it.
 */

import { strayCaches } from '../../app/cache-paths.js';
import {
  convertEncryption,
  hasKeychainPackage,
  keychainPackages,
} from '../../app/services/encryption.js';
import { AppError } from '../../base/errors.js';
import { countOf } from '../../base/text/display-text.js';
import type { Config } from '../../config/config.js';
import { KEYCHAIN_PACKAGE, KEYCHAIN_SERVICE } from '../../encryption/keychain.js';
import { readKeyFile, type WantedKey } from '../../encryption/keys.js';
import { walkFiles } from '../../files/read/walk-files.js';
import { resolveRealPath } from '../../files/safe-access/real-path.js';
import { isArchiveName } from '../../files/tar-archive.js';
import { isEncryptedBackup } from '../../maintenance/restore/encrypted-archive.js';
import { NOTHING_FOUND } from '../errors/exit-status.js';
import { installPackages } from '../install-packages.js';
import { configuration, type Flags } from '../options/configuration.js';
import { confirmOrEnd } from '../terminal/confirm.js';
import { catchInterrupts } from '../terminal/interrupts.js';
import { type ConsentOptions, report } from '../terminal/output.js';
import { withProgressBar } from '../terminal/progress-bar.js';
import { escapeControls, oneLine } from '../terminal/terminal-text.js';
import { requireRoot } from '../with-app.js';

export interface EncryptOptions extends ConsentOptions {
  keyFile?: string;
  passphrase?: boolean;
  keychain?: boolean;
}

/** Throws VALIDATION_ERROR without a key, and the errors of `installPackages` and `convertStore`. */
export async function encrypt(options: EncryptOptions, flags: Flags): Promise<void> {
  const config = configuration(flags);
  const wanted = givenKey(options, config);
  await requireRoot(config);
  if (wanted.isForKeychain && !(await installsKeychain(config, options.yes))) {
    process.exitCode = NOTHING_FOUND;
    return;
  }
  const keySource = options.passphrase ? 'passphrase' : options.keychain ? 'keychain' : 'key file';
  const question = `Encrypt everything in ${config.root}? Without the ${keySource}, nobody can read it again.`;
  await convert(config, wanted, question, options);
}

/** Throws the errors of `convertStore`. */
export async function decrypt(options: ConsentOptions, flags: Flags): Promise<void> {
  const config = configuration(flags);
  const question = `Decrypt everything in ${config.root}? Then everybody who can open the files can read them.`;
  await convert(config, undefined, question, options);
}

/** Returns true if the package is installed now. */
async function installsKeychain(config: Config, yes: boolean | undefined): Promise<boolean> {
  const folder = keychainPackages(config);
  if (hasKeychainPackage(config)) return true;
  return installPackages({ packages: KEYCHAIN_PACKAGE, folder, size: 'about 4 MB on disk', yes });
}

function givenKey(
  { keyFile, passphrase, keychain: isForKeychain }: EncryptOptions,
  { encryption }: Config,
): WantedKey {
  if (passphrase && (keyFile !== undefined || isForKeychain)) {
    throw new AppError(
      'VALIDATION_ERROR',
      `--passphrase and ${isForKeychain ? '--keychain' : '--key-file'} cannot be used together.`,
    );
  }
  if (keyFile !== undefined) {
    const path = resolveRealPath(keyFile);
    readKeyFile(path); // a wrong file is refused before the question
    return { keyFile: path, isForKeychain };
  }
  if (isForKeychain) return { isForKeychain };
  if (passphrase && encryption.passphrase !== undefined) {
    return { passphrase: encryption.passphrase };
  }
  throw new AppError(
    'VALIDATION_ERROR',
    passphrase
      ? 'DAYBOOK_PASSPHRASE is not set.'
      : 'No key is given. Use --key-file, --keychain or --passphrase.',
    {
      hint: passphrase
        ? 'Set the environment variable DAYBOOK_PASSPHRASE. The servers read the passphrase from there too.'
        : 'Make a key with: openssl rand -hex 32 > FILE',
    },
  );
}

async function convert(
  config: Config,
  wanted: WantedKey | undefined,
  question: string,
  { yes, json }: ConsentOptions,
): Promise<void> {
  await requireRoot(config);
  if (!yes && !(await confirmOrEnd(oneLine(question), 'Nothing was changed.'))) return;
  const { signal, release } = catchInterrupts();
  const done = await withProgressBar((show) => {
    const onFile = (progress: number) => show({ progress, unit: 'file' });
    return convertEncryption(config, wanted, { onFile, signal });
  }).finally(release);
  const copies = wanted === undefined ? [] : await copiesOf(config);
  report({ ...done, copies }, json, () => {
    const state =
      done.keyId === undefined ? 'not encrypted' : `encrypted with the key ${done.keyId}`;
    console.log(
      oneLine(`${countOf(done.converted, 'file')} changed. The store ${config.root} is ${state}.`),
    );
    if (wanted?.isForKeychain)
      console.log(
        `The key is in the system's keychain, under ${KEYCHAIN_SERVICE} / ${done.keyId}. Keep a copy of it in a safe place.`,
      );
    else if (wanted?.keyFile !== undefined)
      console.log(
        oneLine(
          `Servers and commands need it: set DAYBOOK_KEY_FILE to ${wanted.keyFile} in the environment in which they start.`,
        ),
      );
  });
  for (const { path, reason } of done.left)
    console.error(oneLine(`not changed: ${path}: ${reason}`));
  if (done.left.length > 0) process.exitCode = NOTHING_FOUND;
  if (copies.length > 0) {
    console.error(
      'These earlier backups, exports and caches may contain your texts without encryption. Delete them, or keep them in a safe place:',
    );
    for (const path of copies) console.error(escapeControls(`  ${path}`));
  }
}

/**
 * Paths of earlier backups and exports, except those that are encrypted themselves, and of caches that the store
 * left when its folder was moved.
 */
async function copiesOf(config: Config): Promise<string[]> {
  const { exportsFolder, backup } = config;
  const copies: string[] = [];
  for (const folder of [backup.folder, exportsFolder]) {
    for await (const { path } of walkFiles(folder, (name) => name === '.gitignore')) {
      const isSealed =
        path.endsWith('.age') || (isArchiveName(path) && (await isEncryptedBackup(path)));
      if (!isSealed) copies.push(path);
    }
  }
  const { indexes, vectors } = await strayCaches(config);
  return [...copies, ...indexes, ...vectors];
}
