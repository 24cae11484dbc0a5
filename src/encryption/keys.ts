/**
 * The sources of keys: a file with 64 hexadecimal digits, the system's keychain, or a passphrase (scrypt).
 * A key that is not the key of the store is refused here.
 */

import { AppError, isAppError } from '../base/errors.js';
import { requireGivenText } from '../files/safe-access/given-file.js';
import { CipherKey, newKeyBytes } from '../files/sealing/cipher.js';
import { keyOfPassphrase, newScryptParameters } from '../files/sealing/key-derivation.js';
import type { Keychain } from './keychain.js';
import type { KeyFacts } from './marker.js';

/** `keyFile` is a path. The keychain is used only if the marker of the store names it. */
export interface GivenKey {
  readonly keyFile?: string | undefined;
  readonly passphrase?: string | undefined;
  readonly keychain?: Keychain | undefined;
}

/**
 * The new key of a store. `isForKeychain`: the key of the key file, or a new key, is stored in the keychain.
 */
export interface WantedKey extends GivenKey {
  readonly isForKeychain?: boolean | undefined;
}

export interface KnownKey {
  readonly key: CipherKey;
  readonly facts: KeyFacts;
}

/** Reads a key file. VALIDATION_ERROR if it does not contain a key, FILESYSTEM_ERROR if it cannot be read. */
export function readKeyFile(path: string): CipherKey {
  return keyOfDigits(digitsIn(path));
}

const keyOfDigits = (digits: string) => new CipherKey(Buffer.from(digits, 'hex'));

function digitsIn(path: string): string {
  const digits = requireGivenText(path).trim();
  if (/^[0-9a-fA-F]{64}$/.test(digits)) return digits;
  throw new AppError('VALIDATION_ERROR', `${path} does not contain 64 hexadecimal digits.`, {
    hint: 'Make a key with: openssl rand -hex 32 > FILE, and keep a copy of it in a safe place.',
    details: { path },
  });
}

/** Shorter ones can be guessed from a copy of the files. */
const MIN_PASSPHRASE = 8;

/** Returns the key for a store that will be encrypted. If both are given, the key file is used. */
export async function newKey(wanted: WantedKey): Promise<KnownKey> {
  const { keyFile, passphrase } = wanted;
  if (wanted.isForKeychain && wanted.keychain !== undefined) {
    const digits = keyFile === undefined ? newKeyBytes().toString('hex') : digitsIn(keyFile);
    const key = keyOfDigits(digits);
    await wanted.keychain.write(key.id, digits);
    return { key, facts: { id: key.id, from: 'keychain' } };
  }
  if (keyFile !== undefined) {
    const key = readKeyFile(keyFile);
    return { key, facts: { id: key.id, from: 'key-file' } };
  }
  if (passphrase === undefined) throw new AppError('VALIDATION_ERROR', 'There is no key.');
  if (passphrase.length < MIN_PASSPHRASE) {
    throw new AppError(
      'VALIDATION_ERROR',
      `The passphrase is too short. It must have at least ${MIN_PASSPHRASE} characters.`,
      {
        hint: 'Nothing was changed. Several words that do not belong together are a good passphrase.',
      },
    );
  }
  const parameters = newScryptParameters();
  const key = await keyOfPassphrase(passphrase, parameters);
  return { key, facts: { id: key.id, from: 'passphrase', scrypt: parameters } };
}

/** Returns the key of a store by its facts in the marker. DECRYPT if another key, or none, is given. */
export async function namedKey(facts: KeyFacts, given: GivenKey): Promise<KnownKey> {
  const key = await givenKey(facts, given);
  if (key?.id === facts.id) return { key, facts };
  if (facts.from === 'keychain' && key === undefined) throw notInKeychain(facts.id);
  const means = facts.from === 'passphrase' ? 'DAYBOOK_PASSPHRASE' : 'DAYBOOK_KEY_FILE';
  const problem = key === undefined ? `${means} is not set` : `${means} has another key`;
  const value =
    facts.from === 'passphrase'
      ? 'the passphrase of the store'
      : 'the path of a file with this key';
  const way =
    facts.from === 'passphrase' && key !== undefined
      ? ' To change the passphrase, first change to a key file with the old one (daybook encrypt --key-file FILE), then to the new one.'
      : '';
  throw new AppError(
    'DECRYPT',
    `This store is encrypted with the key ${facts.id}, but ${problem}.`,
    {
      hint: `Nothing was written. Set ${means} to ${value} in the environment in which Daybook starts.${way}`,
      details: { keyId: facts.id, from: facts.from, ...(key && { givenId: key.id }) },
    },
  );
}

/** Also for a key of the keychain: another machine may have only a copy in a key file. */
async function givenKey(
  facts: KeyFacts,
  { keyFile, passphrase, keychain }: GivenKey,
): Promise<CipherKey | undefined> {
  if (facts.from === 'passphrase') {
    return passphrase === undefined ? undefined : keyOfPassphrase(passphrase, facts.scrypt);
  }
  const ofFile = keyFile === undefined ? undefined : keyOfFile(keyFile, facts.id);
  if (facts.from === 'key-file' || ofFile?.id === facts.id) return ofFile;
  const digits = await keychain?.read(facts.id);
  return digits === undefined ? undefined : keyOfDigits(digits);
}

/** DECRYPT if the file is gone: the general error of a missing file does not say that it is the key. */
function keyOfFile(path: string, id: string): CipherKey {
  try {
    return readKeyFile(path);
  } catch (cause) {
    if (!isAppError(cause) || cause.details?.['errno'] !== 'ENOENT') throw cause;
    const message = `This store is encrypted with the key ${id}, but its key file ${path} does not exist.`;
    throw new AppError('DECRYPT', message, {
      hint: 'Nothing was written. Put a copy of the key there, or set DAYBOOK_KEY_FILE to the copy. Without the key only a backup from before the encryption can be read.',
      details: { keyId: id, from: 'key-file' },
      cause,
    });
  }
}

function notInKeychain(id: string): AppError {
  return new AppError(
    'DECRYPT',
    `This store is encrypted with the key ${id}, but the system's keychain does not have this key.`,
    {
      hint: 'Nothing was written. Set DAYBOOK_KEY_FILE to a file with a copy of the key.',
      details: { keyId: id, from: 'keychain' },
    },
  );
}
