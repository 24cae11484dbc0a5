/**
 * Exported copies as encrypted age files (age-encryption.org/v1), which the `age` tool decrypts too. They
 * are written and read chunk by chunk, and no plain text is written to the disk. The library is loaded at
 * the first use.
 */
import { Readable } from 'node:stream';
import { ReadableStream as NodeStream } from 'node:stream/web';
import type { Decrypter, Encrypter } from 'age-encryption';
import { AppError } from '../base/errors.js';
import { readGivenStart, requireGivenText, streamGiven } from './safe-access/given-file.js';

const MAGIC = 'age-encryption.org/v1\n';
const RECIPIENT = /^age1[02-9ac-hj-np-z]{20,4000}$/;
const IDENTITY = /^AGE-SECRET-KEY-1[02-9A-Z]{20,4000}$/;

/** For whom a file is encrypted: recipients (`age1…`), or everyone who has the passphrase. */
export type AgeRecipients =
  | { readonly recipients: readonly string[] }
  | { readonly passphrase: string };

/** The secret keys (identities) or the passphrase that open an age file. */
export type AgeKey = { readonly identities: readonly string[] } | { readonly passphrase: string };

/** The keys with which this process can open age files. `addAgeKey` adds one. */
const keys: AgeKey[] = [];

/** This process decrypts files with this key too, until the returned function is called. */
export function addAgeKey(key: AgeKey): () => void {
  keys.push(key);
  return () => {
    keys.splice(keys.indexOf(key), 1);
  };
}

/** Throws VALIDATION_ERROR if one of the texts does not have the form of an age recipient. */
export function requireRecipients(recipients: readonly string[]): void {
  if (!recipients.every((each) => RECIPIENT.test(each))) throw wrongRecipient();
}

const wrongRecipient = (cause?: unknown) =>
  new AppError(
    'VALIDATION_ERROR',
    'A recipient is not valid: an age recipient begins with age1, and every character of it must be right.',
    {
      hint: 'Copy the recipient again. To make a key, run age-keygen -o key.txt, which prints the recipient of the key.',
      cause,
    },
  );

/** The secret keys in a file of `age-keygen`. VALIDATION_ERROR if it has none, FILESYSTEM_ERROR. */
export function readIdentities(path: string): AgeKey {
  const lines = requireGivenText(path).split('\n');
  const identities = lines.map((line) => line.trim()).filter((line) => IDENTITY.test(line));
  if (identities.length > 0) return { identities };
  throw new AppError('VALIDATION_ERROR', `${path} does not contain a secret key of age.`, {
    hint: 'Give the file that age-keygen wrote, which has a line that begins with AGE-SECRET-KEY-1.',
    details: { path },
  });
}

/**
 * `seal` encrypts chunks to the bytes of one age file. `check` is a key that decrypts this file, so that
 * the writer can read the file back to check it (`addAgeKey`). For recipients, `check` is a temporary key,
 * which is an additional recipient and is not stored. VALIDATION_ERROR for a wrong recipient.
 */
export async function createAgeEncrypter(lock: AgeRecipients): Promise<{
  readonly seal: (chunks: AsyncIterable<Uint8Array | string>) => AsyncGenerator<Uint8Array>;
  readonly check: AgeKey;
}> {
  const age = await import('age-encryption');
  const encrypter = new age.Encrypter();
  let check: AgeKey;
  if ('passphrase' in lock) {
    encrypter.setPassphrase(lock.passphrase);
    check = lock;
  } else {
    requireRecipients(lock.recipients);
    const own = await age.generateX25519Identity();
    for (const recipient of [...lock.recipients, await age.identityToRecipient(own)]) {
      addTo(encrypter, recipient);
    }
    check = { identities: [own] };
  }
  async function* seal(chunks: AsyncIterable<Uint8Array | string>) {
    const plain = NodeStream.from(bytesOf(chunks)) as ReadableStream<Uint8Array>;
    const sealed = await encrypter.encrypt(plain);
    yield* sealed as unknown as AsyncIterable<Uint8Array>;
  }
  return { seal, check };
}

/** A recipient has a checksum. */
function addTo(encrypter: Encrypter, recipient: string): void {
  try {
    encrypter.addRecipient(recipient);
  } catch (cause) {
    throw wrongRecipient(cause);
  }
}

async function* bytesOf(chunks: AsyncIterable<Uint8Array | string>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
}

/** Whether the file begins with the first line of an age file. Throws like `readGivenText`. */
export const isAgeFile = (path: string): boolean =>
  readGivenStart(path, MAGIC.length).toString('latin1') === MAGIC;

/**
 * Streams the content of a file, and decrypts an age file. Throws like `readGivenText`. The stream fails
 * with DECRYPT if no key of this process fits, and with an error of the library if the file is damaged.
 */
export function streamDecrypted(path: string): Readable {
  return isAgeFile(path) ? Readable.from(opened(path), { objectMode: false }) : streamGiven(path);
}

async function* opened(path: string): AsyncGenerator<Uint8Array> {
  const age = await import('age-encryption');
  const decrypter = new age.Decrypter();
  for (const key of keys) {
    if ('passphrase' in key) decrypter.addPassphrase(key.passphrase);
    else for (const identity of key.identities) addIdentity(decrypter, identity);
  }
  const sealed = NodeStream.from(streamGiven(path)) as ReadableStream<Uint8Array>;
  const plain = await decrypter.decrypt(sealed).catch((cause: unknown) => {
    throw new AppError('DECRYPT', `None of the given keys opens the age file ${path}.`, {
      hint: 'Give the file with the secret key (--identity FILE), or set DAYBOOK_AGE_PASSPHRASE.',
      details: { path },
      cause,
    });
  });
  yield* plain as unknown as AsyncIterable<Uint8Array>;
}

/** A secret key has a checksum. */
function addIdentity(decrypter: Decrypter, identity: string): void {
  try {
    decrypter.addIdentity(identity);
  } catch (cause) {
    throw new AppError('DECRYPT', 'A secret key of age is not valid.', {
      hint: 'Give the file that age-keygen wrote: every character of the key must be right.',
      cause,
    });
  }
}
