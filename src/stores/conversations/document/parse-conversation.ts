/**
 * Parses the JSON of a `conversation.json`, which may be written by hand. Missing values are derived
 * where that is possible, in the same way in every process. Everything else is damage: it is reported
 * with its location in the file, and the file is left as it is.
 */

import { isoTime } from '../../../base/clock.js';
import { AppError, isAppError } from '../../../base/errors.js';
import { derivedUuid } from '../../../base/ids.js';
import { isRecord } from '../../../base/is-record.js';
import { isDeeperThan, MOST_LEVELS_READ } from '../../../base/json-depth.js';
import { type Codec, plainCodec } from '../../../files/codec.js';
import { isSealedText } from '../../../files/sealing/sealed-form.js';
import { upgraded } from '../../format-steps.js';
import { ConversationDocument, fieldsBinding } from './document.js';
import {
  CLIENT_ID,
  type ConversationHead,
  type JsonObject,
  type Message,
  ROLES,
  type Role,
} from './schema.js';
import { isTitleOf } from './title.js';

const ISO_TIME =
  /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

const SHALLOW = `nested up to ${MOST_LEVELS_READ} levels`;
const AN_OBJECT = `an object, ${SHALLOW}`;

interface SourceLocation {
  path: string;
  conversationId: string;
}

/**
 * CONVERSATION_CORRUPTED says where in the file the fault is, FORMAT_TOO_NEW, DECRYPT. `codec` opens what is
 * sealed; `sealing`, unless it is the same, is how the document will be written.
 */
export function parseConversation(
  value: unknown,
  location: SourceLocation,
  codec: Codec,
  sealing: Codec = codec,
): ConversationDocument {
  const stored = objectAt(value, '', location);
  const { formatVersion } = stored;
  if (formatVersion !== undefined && typeof formatVersion !== 'number') {
    throw damage('formatVersion', 'a number', location);
  }
  // What is not sealed was written before the store was, or by hand.
  const opening = isSealed(stored) ? codec : plainCodec;
  const file = withFields(stored, location.conversationId, location, opening);
  const {
    conversationId: _idOfFile, // the name of the folder counts, because people copy folders
    createdAt,
    updatedAt,
    messageCount: _countOfFile,
    formatVersion: _version,
    messages: list,
    ...rest
  } = upgraded('conversation', file, location.path);
  if (!Array.isArray(list)) throw damage('messages', 'a list', location);

  const created = timeOr(createdAt, timeOfId(location.conversationId));
  const messages = readMessages(list, created, location, opening);
  const { known, extra } = readOptional(rest, location);
  const { titleFrom, ...fields } = known;
  const titleMessage =
    titleFrom === undefined ? undefined : messages.find(({ id }) => id === titleFrom);
  // A title that was edited by hand is kept.
  const isDerivedTitle =
    titleMessage !== undefined &&
    fields.title !== undefined &&
    isTitleOf(titleMessage.content, fields.title);
  const head: ConversationHead = {
    conversationId: location.conversationId,
    createdAt: created,
    updatedAt: timeOr(updatedAt, messages.at(-1)?.createdAt ?? created),
    messageCount: messages.length,
    ...fields,
    ...(isDerivedTitle ? { titleFrom: titleMessage.id } : {}),
  };
  return new ConversationDocument(head, extra, messages, sealing);
}

/** A sealed document says so in its head; this cannot be a field of a person's own. */
export const isSealed = ({ sealed }: JsonObject): boolean =>
  isString(sealed) && isSealedText(sealed);

/** With the fields that are sealed beside them. DECRYPT. */
function withFields(
  file: JsonObject,
  bound: string,
  location: SourceLocation,
  codec: Codec,
): JsonObject {
  if (!isSealed(file)) return file;
  if (codec === plainCodec) throw noKey(location);
  const { sealed, ...others } = file;
  const opened: unknown = JSON.parse(codec.open(String(sealed), fieldsBinding(bound)));
  return { ...others, ...objectAt(opened, 'sealed', location) };
}

function readOptional(
  rest: JsonObject,
  location: SourceLocation,
): { known: Partial<ConversationHead>; extra: JsonObject } {
  const { title, titleFrom, module, clientId, pinned, tags, metadata, branchOf, ...extra } = rest;
  const known = {
    ...optional('title', title, isString, 'a text', location),
    ...optional('titleFrom', titleFrom, isString, 'a message id', location),
    ...optional('module', module, isString, 'a text', location),
    ...optional('clientId', clientId, isClientId, 'a key of letters, digits, . _ -', location),
    ...optional('pinned', pinned, isBoolean, 'true or false', location),
    ...optional('tags', tags, isTextList, 'a list of texts', location),
    ...optional('metadata', metadata, isObject, AN_OBJECT, location),
    ...optional('branchOf', branchOf, isBranch, 'conversationId and messageId', location),
  };
  requireShallow(extra, '', location);
  return { known, extra };
}

/** Fields of other versions are kept, so they must be such as can be written again. */
function requireShallow(extra: JsonObject, at: string, location: SourceLocation): void {
  for (const [name, value] of Object.entries(extra)) {
    if (isDeeperThan(MOST_LEVELS_READ, value)) throw damage(`${at}${name}`, SHALLOW, location);
  }
}

/** VALIDATION_ERROR if a file with these fields could not be parsed again. */
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
  location: SourceLocation,
  codec: Codec,
): Message[] {
  const ids = new Set<string>(list.map(idIn).filter(isId));
  const used = new Set<string>();
  const sameText = new Map<string, number>();
  let time = createdAt;
  return list.map((item, index) => {
    const at = `messages[${index}]`;
    const given = objectAt(item, at, location);
    const bound = isId(given['id']) ? `${location.conversationId}/${given['id']}` : '';
    const fields = codec === plainCodec ? given : withFields(given, bound, location, codec);
    const { id, role, content, createdAt: own, parentMessageId, metadata, ...extra } = fields;
    if (!isRole(role)) throw damage(`${at}.role`, ROLES.join(', '), location);
    if (!isString(content)) throw damage(`${at}.content`, 'a text', location);
    time = timeOr(own, time);
    const uniqueId =
      isId(id) && !used.has(id)
        ? id
        : derivedMessageId(location.conversationId, role, content, sameText, ids);
    used.add(uniqueId);
    requireShallow(extra, `${at}.`, location);
    const text = codec.open(content, bound);
    return {
      ...{ id: uniqueId, role, content: text, createdAt: time },
      ...optional('parentMessageId', parentMessageId, isString, 'a message id', location, at),
      ...optional('metadata', metadata, isObject, AN_OBJECT, location, at),
      ...extra,
    };
  });
}

/**
 * Derived from facts that do not depend on the position, so that a message added above does not change
 * it. Never an id that another message of the file has.
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
  location: SourceLocation,
  within = '',
): { [P in K]?: T } {
  if (value === undefined || value === null) return {};
  if (!isRight(value)) throw damage(within === '' ? name : `${within}.${name}`, expected, location);
  return { [name]: value } as { [P in K]?: T };
}

const isString = (value: unknown): value is string => typeof value === 'string';
const isId = (value: unknown): value is string => isString(value) && value !== '';
const idIn = (item: unknown): unknown => (isRecord(item) ? item['id'] : undefined);
const isObject = (value: unknown): value is JsonObject =>
  isRecord(value) && !isDeeperThan(MOST_LEVELS_READ, value);
const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';
const isRole = (value: unknown): value is Role => ROLES.some((role) => role === value);
const isClientId = (value: unknown): value is string => isString(value) && CLIENT_ID.test(value);
const isTextList = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every(isString);
const isBranch = (value: unknown): value is { conversationId: string; messageId: string } =>
  isRecord(value) && isString(value['conversationId']) && isString(value['messageId']);

function objectAt(value: unknown, at: string, location: SourceLocation): JsonObject {
  if (isRecord(value)) return value;
  throw damage(at === '' ? 'the document' : at, 'an object', location);
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

function damage(at: string, expected: string, { path, conversationId }: SourceLocation): AppError {
  return new AppError(
    'CONVERSATION_CORRUPTED',
    `${path} is damaged: ${at} should be ${expected}.`,
    { details: { path, conversationId, at, expected } },
  );
}

function noKey({ path, conversationId }: SourceLocation): AppError {
  return new AppError('DECRYPT', `${path} is encrypted, and this store is not.`, {
    hint: 'The file was left untouched. Start Daybook with its key: DAYBOOK_KEY_FILE or DAYBOOK_PASSPHRASE.',
    details: { path, conversationId },
  });
}
