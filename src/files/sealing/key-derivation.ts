/** Derives the key of a store from a passphrase: scrypt (RFC 7914). */
import { type ScryptOptions, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { randomOctets } from '../../base/ids.js';
import { CipherKey, KEY_BYTES } from './cipher.js';

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

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
export async function keyOfPassphrase(
  passphrase: string,
  { salt, N, r, p }: ScryptParameters,
): Promise<CipherKey> {
  const options = { N, r, p, maxmem: 256 * r * (N + p) };
  const text = passphrase.normalize('NFC');
  return new CipherKey(await derive(text, Buffer.from(salt, 'base64'), KEY_BYTES, options));
}
