/** Where keys come from: a file of 64 hexadecimal digits, or a passphrase (scrypt). */

import { AppError } from '../base/errors.js';
import { readGivenText } from '../files/door/given-file.js';
import { CipherKey, keyOfPassphrase, newScryptParameters } from '../files/sealing/cipher.js';
import type { KeyFacts } from './marker.js';

/** What the user gives to open a store. `keyFile` is a path. */
export interface GivenKey {
  readonly keyFile?: string | undefined;
  readonly passphrase?: string | undefined;
}

export interface KnownKey {
  readonly key: CipherKey;
  readonly facts: KeyFacts;
}

/** VALIDATION_ERROR where the file holds anything else, the system's error where it cannot be read. */
export function readKeyFile(path: string): CipherKey {
  const digits = readGivenText(path).trim();
  if (/^[0-9a-fA-F]{64}$/.test(digits)) return new CipherKey(Buffer.from(digits, 'hex'));
  throw new AppError('VALIDATION_ERROR', `${path} does not hold 64 hexadecimal digits.`, {
    hint: 'Make a key with: openssl rand -hex 32 > FILE, and keep a copy of it in a safe place.',
    details: { path },
  });
}

/** A key for a store that is to be encrypted with it; the key file first where both are given. */
export async function newKey({ keyFile, passphrase }: GivenKey): Promise<KnownKey> {
  if (keyFile !== undefined) {
    const key = readKeyFile(keyFile);
    return { key, facts: { id: key.id, from: 'key-file' } };
  }
  if (passphrase === undefined) throw new AppError('VALIDATION_ERROR', 'There is no key.');
  const parameters = newScryptParameters();
  const key = await keyOfPassphrase(passphrase, parameters);
  return { key, facts: { id: key.id, from: 'passphrase', scrypt: parameters } };
}

/** The key that a store names. DECRYPT where another one, or none, is given. */
export async function namedKey(facts: KeyFacts, given: GivenKey): Promise<KnownKey> {
  const key = await givenKey(facts, given);
  if (key?.id === facts.id) return { key, facts };
  const means = facts.from === 'key-file' ? 'DAYBOOK_KEY_FILE' : 'DAYBOOK_PASSPHRASE';
  const problem = key === undefined ? `and ${means} is not set` : 'with another key';
  throw new AppError('DECRYPT', `This store is encrypted, ${problem} (its key: ${facts.id}).`, {
    hint: `Nothing was written. Set ${means} in the environment that Daybook is started with.`,
    details: { keyId: facts.id, from: facts.from, ...(key && { givenId: key.id }) },
  });
}

async function givenKey(
  facts: KeyFacts,
  { keyFile, passphrase }: GivenKey,
): Promise<CipherKey | undefined> {
  if (facts.from === 'key-file') return keyFile === undefined ? undefined : readKeyFile(keyFile);
  return passphrase === undefined ? undefined : keyOfPassphrase(passphrase, facts.scrypt);
}
