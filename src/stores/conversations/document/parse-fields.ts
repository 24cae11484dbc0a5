/**
 * Parses single fields of a `conversation.json` and of its messages. Errors have the location in the file.
 */
import { isoTime } from '../../../base/clock.js';
import { AppError, isAppError } from '../../../base/errors.js';
import { isRecord, isString, type JsonObject } from '../../../base/json-fields.js';
import { isDamagedSeal, isSealedText } from '../../../files/sealing/sealed-form.js';
import { type Codec, plainCodec } from '../../../files/sealing/text-codec.js';
import { isDeeperThan, MAX_LEVELS_READ } from '../../json-depth.js';
import { fieldsBinding } from './document.js';

const ISO_TIME =
  /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

const SHALLOW = `nested up to ${MAX_LEVELS_READ} levels`;
export const AN_OBJECT = `an object, ${SHALLOW}`;

export interface SourceLocation {
  path: string;
  conversationId: string;
}

/** Whether the object is sealed: its field `sealed` is a sealed text, which no person would write. */
export const isSealed = ({ sealed }: JsonObject): boolean => isSealedText(sealed);

/** Decrypts the sealed fields. An object that is not sealed is returned unchanged. DECRYPT. */
export function withFields(
  file: JsonObject,
  bound: string,
  location: SourceLocation,
  codec: Codec,
): JsonObject {
  if (!isSealed(file)) return file;
  if (codec === plainCodec) throw noKey(location);
  const { sealed, ...others } = file;
  const opened: unknown = JSON.parse(
    openedAt(String(sealed), fieldsBinding(bound), location, codec),
  );
  return { ...others, ...objectAt(opened, 'sealed', location) };
}

/** Decrypts one text of the conversation. DECRYPT with the file and the message. */
export function openedAt(
  stored: string,
  binding: string,
  { path, conversationId }: SourceLocation,
  codec: Codec,
): string {
  try {
    return codec.open(stored, binding);
  } catch (cause) {
    if (!isAppError(cause, 'DECRYPT')) throw cause;
    if (!isDamagedSeal(cause)) throw otherKey(cause, { path, conversationId });
    const messageId = binding.slice(conversationId.length + 1);
    const what = messageId === 'fields' ? 'a field' : `the message ${messageId}`;
    throw new AppError(
      'DECRYPT',
      `${path}: ${what} cannot be decrypted, because it was changed or moved.`,
      {
        hint: 'The file was not changed. daybook doctor shows what can be saved.',
        details: { ...cause.details, path, conversationId, binding },
        cause,
      },
    );
  }
}

function otherKey(cause: AppError, location: SourceLocation): AppError {
  const keyId = cause.details?.['keyId'];
  return new AppError('DECRYPT', `${location.path} is encrypted with another key (${keyId}).`, {
    hint: cause.hint,
    details: { ...location, keyId },
    cause,
  });
}

/**
 * Unknown fields are kept, so they must not be nested too deeply to be written again. CONVERSATION_CORRUPTED.
 */
export function requireShallow(extra: JsonObject, at: string, location: SourceLocation): void {
  for (const [name, value] of Object.entries(extra)) {
    if (isDeeperThan(MAX_LEVELS_READ, value)) throw damage(`${at}${name}`, SHALLOW, location);
  }
}

/** Returns an object with the field; an empty one for a value that is absent or null. CONVERSATION_CORRUPTED. */
export function optional<K extends string, T>(
  name: K,
  value: unknown,
  isRight: (value: unknown) => value is T,
  expected: string,
  location: SourceLocation,
  within = '',
): { [P in K]?: T } {
  if (value === undefined || value === null) return {};
  if (!isRight(value)) throw damage(within === '' ? name : `${within}.${name}`, expected, location);
  return { [name]: value } as { [P in K]?: T };
}

export const isShallowObject = (value: unknown): value is JsonObject =>
  isRecord(value) && !isDeeperThan(MAX_LEVELS_READ, value);

export function objectAt(value: unknown, at: string, location: SourceLocation): JsonObject {
  if (isRecord(value)) return value;
  throw damage(at === '' ? 'the document' : at, 'an object', location);
}

/** Returns the time in the one form of all times in memory, so that they can be compared as texts. */
export function timeOr(value: unknown, fallback: string): string {
  if (!isString(value)) return fallback;
  if (ISO_TIME.test(value)) return value;
  const epochMs = Date.parse(value);
  const time = Number.isNaN(epochMs) ? '' : isoTime(epochMs);
  return ISO_TIME.test(time) ? time : fallback; // a year of six digits, such as +012345, cannot be compared
}

export function damage(
  at: string,
  expected: string,
  { path, conversationId }: SourceLocation,
): AppError {
  return new AppError('CONVERSATION_CORRUPTED', `${path} is damaged: ${at} must be ${expected}.`, {
    details: { path, conversationId, at, expected },
  });
}

function noKey({ path, conversationId }: SourceLocation): AppError {
  return new AppError('DECRYPT', `${path} is encrypted, but this store is not encrypted.`, {
    hint: 'The file was not changed. Start Daybook with the key of the file (DAYBOOK_KEY_FILE or DAYBOOK_PASSPHRASE).',
    details: { path, conversationId },
  });
}
