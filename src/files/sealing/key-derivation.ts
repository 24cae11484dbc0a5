/** Derives the key of a store from a passphrase: scrypt (RFC 7914). */
import { scrypt } from 'node:crypto';
import { randomOctets } from '../../base/ids.js';
import { CipherKey, KEY_BYTES } from './cipher.js';

export interface ScryptParameters {
  /** In base64. */
  readonly salt: string;
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

/** Returns parameters with which scrypt needs about 128 MB and a third of a second. */
export function newScryptParameters(): ScryptParameters {
  return { salt: randomOctets(16).toString('base64'), N: 2 ** 17, r: 8, p: 1 };
}

/** Derives the key with scrypt. The same passphrase and parameters always result in the same key. */
export function keyOfPassphrase(
  passphrase: string,
  { salt, N, r, p }: ScryptParameters,
): Promise<CipherKey> {
  const options = { N, r, p, maxmem: 256 * r * (N + p) };
  return new Promise((resolve, reject) => {
    scrypt(
      passphrase.normalize('NFC'),
      Buffer.from(salt, 'base64'),
      KEY_BYTES,
      options,
      (error, bytes) => (error === null ? resolve(new CipherKey(bytes)) : reject(error)),
    );
  });
}
