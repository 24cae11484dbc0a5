/**
 * `encryption.json` among the conversations: whether and with which key the store is encrypted, and
 * whether that is being changed. It holds no secret. A store without this file is in the clear.
 */
import { join } from 'node:path';
import { z } from 'zod';
import { AppError, isAppError } from '../base/errors.js';
import { atomicWrite, type Durability, makeFolder } from '../files/atomic/atomic-write.js';
import { removeFile } from '../files/paths/folders.js';
import { parseDocument, type ReadFile, readSmallNow } from '../files/read/json-doc.js';
import type { Stamp } from '../files/read/stamp.js';

const FORMAT = 'daybook-encryption';
const VERSION = 1;

const scryptSchema = z.object({
  salt: z.string(),
  // Others would let a file make this process use up the machine.
  N: z
    .number()
    .int()
    .min(2)
    .max(2 ** 20),
  r: z.number().int().min(1).max(16),
  p: z.number().int().min(1).max(16),
});
const keySchema = z.discriminatedUnion('from', [
  z.object({ id: z.string(), from: z.enum(['key-file', 'keychain']) }),
  z.object({ id: z.string(), from: z.literal('passphrase'), scrypt: scryptSchema }),
]);
const markerSchema = z.object({
  format: z.literal(FORMAT),
  version: z.number().int(),
  key: keySchema.nullable(),
  /** The key that the files are getting; null while they are being decrypted. */
  converting: z.object({ to: keySchema.nullable() }).optional(),
});

/** How the key is derived, and its id. */
export type KeyFacts = z.output<typeof keySchema>;
/** `key`: null where the store is, or was, in the clear. */
export type Marker = Pick<z.output<typeof markerSchema>, 'key' | 'converting'>;

/** How `encryption.json` comes back. The salt of a passphrase is in no other file. */
export const MARKER_REMEDY =
  'Restore encryption.json from a backup. If the key is in a key file, you can also delete encryption.json and run daybook encrypt --key-file FILE --yes, which writes it again.';

export const markerPath = (logsFolder: string): string => join(logsFolder, 'encryption.json');

/** CORRUPT, FORMAT_TOO_NEW, FILESYSTEM_ERROR. */
export function readMarker(logsFolder: string): {
  readonly marker: Marker;
  readonly stamp: Stamp | undefined;
} {
  const path = markerPath(logsFolder);
  const found = readFound(path);
  if (found === undefined) return { marker: { key: null }, stamp: undefined };
  const value = parseDocument(found.bytes, path, 'CORRUPT');
  const parsed = markerSchema.safeParse(value);
  const version = Number(Object(value).version);
  if (version > VERSION) {
    throw new AppError('FORMAT_TOO_NEW', `${path} has format version ${version}.`, {
      details: { path },
    });
  }
  if (!parsed.success) {
    throw unreadable(path, parsed.error);
  }
  return { marker: parsed.data, stamp: found.stamp };
}

function readFound(path: string): ReadFile | undefined {
  try {
    return readSmallNow(path);
  } catch (error) {
    throw isAppError(error, 'TOO_LARGE') ? unreadable(path, error) : error;
  }
}

const unreadable = (path: string, cause: Error): AppError =>
  new AppError(
    'CORRUPT',
    `${path} is damaged, so Daybook cannot find out how this store is encrypted.`,
    {
      hint: `Nothing was read or written. ${MARKER_REMEDY}`,
      details: { path },
      cause,
    },
  );

/** Durable when it resolves. A store in the clear has no file. */
export async function writeMarker(
  logsFolder: string,
  { key, converting }: Marker,
  durability: Durability,
): Promise<void> {
  const path = markerPath(logsFolder);
  if (key === null && converting === undefined) return removeFile(path, durability);
  await makeFolder(logsFolder, durability);
  const value = { format: FORMAT, version: VERSION, key, ...(converting && { converting }) };
  await atomicWrite(path, Buffer.from(`${JSON.stringify(value, null, 2)}\n`), durability);
}
