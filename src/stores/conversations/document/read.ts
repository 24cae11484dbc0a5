/**
 * From the JSON of a `conversation.json`, perhaps written by hand, to a conversation.
 * What can be derived is derived the same way in every process; what cannot is damage,
 * reported with its place and left as it is.
 */

import { isoTime } from '../../../base/clock.js';
import { AppError, isAppError } from '../../../base/errors.js';
import { derivedUuid } from '../../../base/ids.js';
import { isRecord } from '../../../base/is-record.js';
import { type Codec, plainCodec } from '../../../files/codec.js';
import { isSealedText } from '../../../files/sealing/sealed-form.js';
import { ConversationDocument, fieldsBinding } from './document.js';
import {
  CLIENT_ID,
  type ConversationHead,
  FORMAT_VERSION,
  type JsonObject,
  type Message,
  ROLES,
  type Role,
} from './schema.js';
import { isTitleOf } from './title.js';

const ISO_TIME =
  /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

interface Place {
  path: string;
  conversationId: string;
}

/**
 * CONVERSATION_CORRUPTED with the place of the fault, FORMAT_TOO_NEW, DECRYPT. `codec` opens what is
 * sealed; `sealing`, unless it is the same, is how the document will be written.
 */
export function readConversation(
  value: unknown,
  place: Place,
  codec: Codec,
  sealing: Codec = codec,
): ConversationDocument {
  const given = objectAt(value, '', place);
  // What is not sealed was written before the store was, or by hand.
  const opening = isSealed(given) ? codec : plainCodec;
  const file = withFields(given, place.conversationId, place, opening);
  const {
    conversationId: _idOfFile, // the folder's name counts: people copy folders
    createdAt,
    updatedAt,
    messageCount: _countOfFile,
    formatVersion = FORMAT_VERSION,
    messages: list,
    ...rest
  } = file;
  if (typeof formatVersion !== 'number') throw damage('formatVersion', 'a number', place);
  if (formatVersion > FORMAT_VERSION) throw tooNew(formatVersion, place);
  if (!Array.isArray(list)) throw damage('messages', 'a list', place);

  const created = timeOr(createdAt, timeOfId(place.conversationId));
  const messages = readMessages(list, created, place, opening);
  const { known, extra } = readOptional(rest, place);
  const { titleFrom, ...fields } = known;
  const spoken = titleFrom === undefined ? undefined : messages.find(({ id }) => id === titleFrom);
  // Edited by hand, it is somebody's own title.
  const isSpoken =
    spoken !== undefined && fields.title !== undefined && isTitleOf(spoken.content, fields.title);
  const head: ConversationHead = {
    conversationId: place.conversationId,
    createdAt: created,
    updatedAt: timeOr(updatedAt, messages.at(-1)?.createdAt ?? created),
    messageCount: messages.length,
    ...fields,
    ...(isSpoken ? { titleFrom: spoken.id } : {}),
  };
  return new ConversationDocument(head, extra, messages, sealing);
}

/** A sealed document says so in its head; this cannot be a field of a person's own. */
export const isSealed = ({ sealed }: JsonObject): boolean =>
  isString(sealed) && isSealedText(sealed);

/** With the fields that are sealed beside them. DECRYPT. */
function withFields(file: JsonObject, bound: string, place: Place, codec: Codec): JsonObject {
  if (!isSealed(file)) return file;
  if (codec === plainCodec) throw noKey(place);
  const { sealed, ...others } = file;
  const opened: unknown = JSON.parse(codec.open(String(sealed), fieldsBinding(bound)));
  return { ...others, ...objectAt(opened, 'sealed', place) };
}

function readOptional(
  rest: JsonObject,
  place: Place,
): { known: Partial<ConversationHead>; extra: JsonObject } {
  const { title, titleFrom, module, clientId, pinned, tags, metadata, branchOf, ...extra } = rest;
  const known = {
    ...optional('title', title, isString, 'a text', place),
    ...optional('titleFrom', titleFrom, isString, 'a message id', place),
    ...optional('module', module, isString, 'a text', place),
    ...optional('clientId', clientId, isClientId, 'a key of letters, digits, . _ -', place),
    ...optional('pinned', pinned, isBoolean, 'true or false', place),
    ...optional('tags', tags, isTextList, 'a list of texts', place),
    ...optional('metadata', metadata, isRecord, 'an object', place),
    ...optional('branchOf', branchOf, isBranch, 'conversationId and messageId', place),
  };
  return { known, extra };
}

/** VALIDATION_ERROR where a file with these fields could not be read again. */
export function requireReadable(fields: object): void {
  try {
    readOptional({ ...fields }, { path: '', conversationId: '' });
  } catch (cause) {
    if (!isAppError(cause)) throw cause;
    const { at, expected } = cause.details ?? {};
    throw new AppError('VALIDATION_ERROR', `${at} of a conversation takes ${expected}.`, {
      details: { field: at },
    });
  }
}

function readMessages(
  list: readonly unknown[],
  createdAt: string,
  place: Place,
  codec: Codec,
): Message[] {
  const ids = new Set<string>(list.map(idIn).filter(isId));
  const used = new Set<string>();
  const sameText = new Map<string, number>();
  let time = createdAt;
  return list.map((item, index) => {
    const at = `messages[${index}]`;
    const given = objectAt(item, at, place);
    const bound = isId(given['id']) ? `${place.conversationId}/${given['id']}` : '';
    const fields = codec === plainCodec ? given : withFields(given, bound, place, codec);
    const { id, role, content, createdAt: own, parentMessageId, metadata, ...extra } = fields;
    if (!isRole(role)) throw damage(`${at}.role`, ROLES.join(', '), place);
    if (!isString(content)) throw damage(`${at}.content`, 'a text', place);
    time = timeOr(own, time);
    const uniqueId =
      isId(id) && !used.has(id)
        ? id
        : derivedMessageId(place.conversationId, role, content, sameText, ids);
    used.add(uniqueId);
    const text = codec.open(content, bound);
    return {
      ...{ id: uniqueId, role, content: text, createdAt: time },
      ...optional('parentMessageId', parentMessageId, isString, 'a message id', place, at),
      ...optional('metadata', metadata, isRecord, 'an object', place, at),
      ...extra,
    };
  });
}

/**
 * From place-independent facts, so that a line added above does not change it; never an id that a
 * message of the file carries, which would move that id to another message.
 */
function derivedMessageId(
  conversationId: string,
  role: Role,
  content: string,
  sameText: Map<string, number>,
  given: ReadonlySet<string>,
): string {
  const key = `${role}\n${content}`;
  let count = sameText.get(key) ?? 0;
  let id: string;
  do {
    count += 1;
    id = derivedUuid(conversationId, role, content, String(count));
  } while (given.has(id));
  sameText.set(key, count);
  return id;
}

function optional<K extends string, T>(
  name: K,
  value: unknown,
  isRight: (value: unknown) => value is T,
  expected: string,
  place: Place,
  within = '',
): { [P in K]?: T } {
  if (value === undefined || value === null) return {};
  if (!isRight(value)) throw damage(within === '' ? name : `${within}.${name}`, expected, place);
  return { [name]: value } as { [P in K]?: T };
}

const isString = (value: unknown): value is string => typeof value === 'string';
const isId = (value: unknown): value is string => isString(value) && value !== '';
const idIn = (item: unknown): unknown => (isRecord(item) ? item['id'] : undefined);
const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';
const isRole = (value: unknown): value is Role => ROLES.some((role) => role === value);
const isClientId = (value: unknown): value is string => isString(value) && CLIENT_ID.test(value);
const isTextList = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every(isString);
const isBranch = (value: unknown): value is { conversationId: string; messageId: string } =>
  isRecord(value) && isString(value['conversationId']) && isString(value['messageId']);

function objectAt(value: unknown, at: string, place: Place): JsonObject {
  if (isRecord(value)) return value;
  throw damage(at === '' ? 'the document' : at, 'an object', place);
}

/** Every time in memory has one form, so that times can be compared as texts. */
function timeOr(value: unknown, fallback: string): string {
  if (!isString(value)) return fallback;
  if (ISO_TIME.test(value)) return value;
  const epochMs = Date.parse(value);
  return Number.isNaN(epochMs) ? fallback : isoTime(epochMs);
}

function timeOfId(conversationId: string): string {
  return isoTime(Number(conversationId.slice(9)));
}

function damage(at: string, expected: string, { path, conversationId }: Place): AppError {
  return new AppError(
    'CONVERSATION_CORRUPTED',
    `${path} is damaged: ${at} should be ${expected}.`,
    { details: { path, conversationId, at, expected } },
  );
}

function noKey({ path, conversationId }: Place): AppError {
  return new AppError('DECRYPT', `${path} is encrypted, and this store is not.`, {
    hint: 'The file was left untouched. Start Daybook with its key: DAYBOOK_KEY_FILE or DAYBOOK_PASSPHRASE.',
    details: { path, conversationId },
  });
}

function tooNew(formatVersion: number, { path }: Place): AppError {
  return new AppError(
    'FORMAT_TOO_NEW',
    `${path} has format version ${formatVersion}; this Daybook reads up to ${FORMAT_VERSION}.`,
    { details: { path, formatVersion } },
  );
}
