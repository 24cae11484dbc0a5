/**
 * The marker of a store: `encryption.json` in the logs folder. It records with which key the store is
 * encrypted, and whether it is being converted. It contains no secret. A store without this file is not
 * encrypted.
 */
import { join } from 'node:path';
import { z } from 'zod';
import { AppError, isAppError } from '../base/errors.js';
import { numberIn, objectIn } from '../base/json-fields.js';
import { atomicWrite, type Durability, makeFolder } from '../files/atomic/atomic-write.js';
import { removeFile } from '../files/paths/folders.js';
import { parseDocument, renderDocument } from '../files/read/json-document.js';
import type { Stamp } from '../files/read/stamp.js';
import { type ReadFile, readSmallNow } from '../files/read/whole-file.js';

const FORMAT = 'daybook-encryption';
const VERSION = 1;

const scryptSchema = z.object({
  salt: z.string(),
  // With these limits, a foreign file cannot make scrypt use all memory and time of the machine.
  N: z
    .int()
    .min(2)
    .max(2 ** 20)
    .refine((n) => Number.isInteger(Math.log2(n))),
  r: z.int().min(1).max(16),
  p: z.int().min(1).max(16),
});
const keySchema = z.discriminatedUnion('from', [
  z.object({ id: z.string(), from: z.enum(['key-file', 'keychain']) }),
  z.object({ id: z.string(), from: z.literal('passphrase'), scrypt: scryptSchema }),
]);
const markerSchema = z.object({
  format: z.literal(FORMAT),
  version: z.int(),
  key: keySchema.nullable(),
  /** Present while the store is converted. `to`: the new key; null if the store is being decrypted. */
  converting: z.object({ to: keySchema.nullable() }).optional(),
  /** The ids of the keys of files that could not be decrypted when the store was. */
  left: z.array(z.string()).optional(),
});

/** The id of a key, and how it is derived. */
export type KeyFacts = z.output<typeof keySchema>;
/** `key`: null if the store is not encrypted or, during a conversion, was not encrypted before. */
export type Marker = Pick<z.output<typeof markerSchema>, 'key' | 'converting' | 'left'>;

/** The hint how to restore `encryption.json`. No other file has the salt of a passphrase. */
export const MARKER_REMEDY =
  'Restore encryption.json from a backup. If the key is in a key file, you can also delete encryption.json and run daybook encrypt --key-file FILE --yes, which writes it again.';

export const markerPath = (logsFolder: string): string => join(logsFolder, 'encryption.json');

/** Reads the marker; `key` is null if there is no file. CORRUPT, FORMAT_TOO_NEW, FILESYSTEM_ERROR. */
export function readMarker(logsFolder: string): {
  readonly marker: Marker;
  readonly stamp: Stamp | undefined;
} {
  const path = markerPath(logsFolder);
  const found = readFound(path);
  if (found === undefined) return { marker: { key: null }, stamp: undefined };
  const value = parseDocument(found.bytes, path, 'CORRUPT');
  const parsed = markerSchema.safeParse(value);
  const version = numberIn(objectIn(value)['version']);
  if (version !== undefined && version > VERSION) {
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

/** Writes the marker, or removes it if the store is not encrypted at all. Durable when it resolves. */
export async function writeMarker(
  logsFolder: string,
  { key, converting, left = [] }: Marker,
  durability: Durability,
): Promise<void> {
  const path = markerPath(logsFolder);
  const hasLeft = key === null && left.length > 0;
  if (key === null && converting === undefined && !hasLeft) return removeFile(path, durability);
  await makeFolder(logsFolder, durability);
  const optional = { ...(converting && { converting }), ...(hasLeft && { left }) };
  const value = { format: FORMAT, version: VERSION, key, ...optional };
  await atomicWrite(path, renderDocument(value), durability);
}
