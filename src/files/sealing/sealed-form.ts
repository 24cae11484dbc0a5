/**
 * The format of sealed content on disk (docs/FORMAT.md). A whole file: a line with the id of its key, then
 * the sealed bytes. A text, or a line of a log: the id, and the sealed bytes in base64. The key is found by
 * its id, so one reader reads plain and sealed files.
 */

import { AppError, isAppError } from '../../base/errors.js';
import { parsedJson } from '../../base/json.js';
import { objectIn, textIn } from '../../base/json-fields.js';
import { type CipherKey, SEAL_BYTES } from './cipher.js';
import { bytesOfText, textOfBytes } from './text-bytes.js';

const MAGIC = Buffer.from('daybook-sealed 1 ');
const ID_LENGTH = 16;
const HEADER_LENGTH = MAGIC.length + ID_LENGTH + 1;
/** The number of bytes that a sealed file is longer than its content. */
export const SEALED_FILE_BYTES = HEADER_LENGTH + SEAL_BYTES;
/** The beginning of a sealed text. No person writes it. */
export const SEALED_TEXT_START = 'sealed:1:';
/** A sealed text in JSON, with the id of its key. In a text, the quotation mark would be escaped. */
export const SEALED_PART = /[^\\]"sealed:1:([0-9a-f]{16}):/;
const TEXT = /^sealed:1:([0-9a-f]{16}):([A-Za-z0-9+/]+=*)$/;
const LINE = /^~([0-9a-f]{16}):([A-Za-z0-9+/]+=*)~$/;
const LINE_START = /^~([0-9a-f]{16}):/m;
const TILDE = 0x7e;

/** The keys of the open stores. A key that was added twice is here twice. */
const keys: CipherKey[] = [];

/** This process decrypts with this key too, until the returned function is called. */
export function addKey(key: CipherKey): () => void {
  keys.push(key);
  return () => {
    const at = keys.indexOf(key);
    if (at !== -1) keys.splice(at, 1);
  };
}

/** DECRYPT if no open store has this key. The error contains `where`. */
function keyOf(id: string, where: string): CipherKey {
  const key = keys.find((each) => each.id === id);
  if (key !== undefined) return key;
  throw new AppError('DECRYPT', `${where} is encrypted with another key (${id}).`, {
    hint: 'The file was not changed. Start Daybook with this key (DAYBOOK_KEY_FILE or DAYBOOK_PASSPHRASE).',
    details: { path: where, keyId: id },
  });
}

/** Returns the id of the key of a sealed file; `undefined` if the bytes are not a sealed file. */
export function sealedFileKey(bytes: Uint8Array): string | undefined {
  if (bytes.byteLength < SEALED_FILE_BYTES || bytes[MAGIC.length + ID_LENGTH] !== 0x0a)
    return undefined;
  const header = Buffer.from(bytes.buffer, bytes.byteOffset, HEADER_LENGTH);
  if (!header.subarray(0, MAGIC.length).equals(MAGIC)) return undefined;
  const id = header.toString('latin1', MAGIC.length, MAGIC.length + ID_LENGTH);
  return /^[0-9a-f]+$/.test(id) ? id : undefined;
}

export function sealFile(bytes: Uint8Array, key: CipherKey): Buffer {
  return Buffer.concat([MAGIC, Buffer.from(`${key.id}\n`), key.seal(bytes, 'file')]);
}

/** Returns the plain content of a file. A file that is not sealed is returned unchanged. DECRYPT. */
export function openFile(bytes: Buffer, path: string): Buffer {
  const id = sealedFileKey(bytes);
  if (id === undefined) return bytes;
  return namingPath(path, () => keyOf(id, path).open(bytes.subarray(HEADER_LENGTH), 'file'));
}

export const isSealedText = (value: unknown): value is string => TEXT.test(textIn(value) ?? '');

/**
 * Returns the id of the key of a conversation whose texts are sealed one by one; `undefined` if it is not sealed
 * or cannot be parsed. A message may have any text, also one that looks sealed, but a sealed conversation
 * always has the field `sealed`.
 */
export function sealedDocumentKey(bytes: Buffer): string | undefined {
  if (!bytes.includes(`"${SEALED_TEXT_START}`)) return undefined; // nearly all files; fast
  const { sealed } = objectIn(parsedJson(bytes.toString()));
  return TEXT.exec(textIn(sealed) ?? '')?.[1];
}

export function sealText(text: string, binding: string, key: CipherKey): string {
  return `${SEALED_TEXT_START}${key.id}:${key.seal(bytesOfText(text), binding).toString('base64')}`;
}

/** A text that is not sealed is returned unchanged: a person may have added it. DECRYPT. */
export function openText(stored: string, binding: string, key: CipherKey): string {
  if (!stored.startsWith(SEALED_TEXT_START)) return stored;
  const [, id, base64] = TEXT.exec(stored) ?? [];
  if (id === undefined || base64 === undefined) return stored;
  const used = id === key.id ? key : keyOf(id, binding);
  return namingPath(binding, () => textOfBytes(used.open(Buffer.from(base64, 'base64'), binding)));
}

/** Seals one line or several as one line, without a line feed. */
export function sealLine(lines: string, key: CipherKey): string {
  return `~${key.id}:${key.seal(Buffer.from(lines), 'line').toString('base64')}~`;
}

/** Returns the id of the key of the first sealed line; `undefined` if no line is sealed. */
export const sealedLineKey = (lines: Uint8Array): string | undefined =>
  LINE_START.exec(Buffer.from(lines).toString('latin1'))?.[1];

export const isSealedLine = (bytes: Uint8Array, start: number): boolean => bytes[start] === TILDE;

/** Returns `undefined` if the line is incomplete or damaged. DECRYPT for the key of another store. */
export function openLine(line: string, path: string): Buffer | undefined {
  const [, id, base64] = LINE.exec(line) ?? [];
  if (id === undefined || base64 === undefined) return undefined;
  const key = keyOf(id, path);
  try {
    return key.open(Buffer.from(base64, 'base64'), 'line');
  } catch {
    return undefined; // a damaged line
  }
}

function namingPath<T>(path: string, open: () => T): T {
  try {
    return open();
  } catch (cause) {
    if (!(cause instanceof AppError) || cause.details !== undefined) throw cause;
    throw new AppError('DECRYPT', `${path} cannot be decrypted, because it was changed or moved.`, {
      hint: 'The file was not changed. The key is right. If the file was moved, move it back. Otherwise move it to another place, and restore it with daybook restore BACKUP.',
      details: { path, isDamaged: true },
      cause,
    });
  }
}

/** Whether the key fits, but the sealed bytes were changed or moved, so that nobody can open them. */
export const isDamagedSeal = (error: unknown): error is AppError =>
  isAppError(error, 'DECRYPT') && error.details?.['isDamaged'] === true;
