/**
 * Parses the JSON of a `conversation.json`, which may be written by hand. Missing values are derived where
 * that is possible, in the same way in every process. Everything else is damage: the error has its
 * location in the file, and the file is not changed. files/read/json-document.ts reports a text that is not
 * JSON.
 */

import { runToCompletion } from '../../../base/async/time-slice.js';
import { isoTime } from '../../../base/clock.js';
import { AppError, isAppError } from '../../../base/errors.js';
import { isRecord, isString, isTextList, type JsonObject } from '../../../base/json-fields.js';
import { type Codec, plainCodec } from '../../../files/sealing/text-codec.js';
import { upgraded } from '../../format-migrations.js';
import { CLIENT_ID, timeOfId } from './conversation-id.js';
import { isTitleOf } from './derived-title.js';
import { ConversationDocument } from './document.js';
import {
  AN_OBJECT,
  damage,
  isSealed,
  isShallowObject,
  objectAt,
  optional,
  requireShallow,
  type SourceLocation,
  timeOr,
  withFields,
} from './parse-fields.js';
import { messageSteps } from './parse-messages.js';
import type { ConversationHead } from './schema.js';

/**
 * Throws CONVERSATION_CORRUPTED with the location of the fault in the file, FORMAT_TOO_NEW, DECRYPT.
 * `codec` decrypts what is sealed. `sealing` is the codec of later writes, if it differs.
 */
export function parseConversation(
  value: unknown,
  location: SourceLocation,
  codec: Codec,
  sealing: Codec = codec,
): ConversationDocument {
  return runToCompletion(conversationSteps(value, location, codec, sealing)).document;
}

export interface ParsedConversation {
  readonly document: ConversationDocument;
  /** Each message can be parsed alone with the same result, if the time of the message before it is known. */
  readonly hasSeparateMessages: boolean;
  /** Its texts are encrypted in the file. */
  readonly isSealed: boolean;
}

/** Like `parseConversation`, in steps of one message. */
export function* conversationSteps(
  value: unknown,
  location: SourceLocation,
  codec: Codec,
  sealing: Codec = codec,
): Generator<void, ParsedConversation> {
  const stored = objectAt(value, '', location);
  const { formatVersion } = stored;
  if (formatVersion !== undefined && typeof formatVersion !== 'number') {
    throw damage('formatVersion', 'a number', location);
  }
  // A file that is not sealed was written by hand or before encryption was turned on.
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

  const created = timeOr(createdAt, isoTime(timeOfId(location.conversationId)));
  const { messages, haveOwnIds } = yield* messageSteps(list, created, location, opening);
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
  const document = new ConversationDocument(head, extra, [], sealing);
  for (const message of messages) {
    document.add(message);
    yield;
  }
  const hasSeparateMessages = haveOwnIds && list === stored['messages'];
  return { document, hasSeparateMessages, isSealed: opening !== plainCodec };
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
    ...optional('clientId', clientId, isClientId, 'a key of letters, digits and . _ -', location),
    ...optional('pinned', pinned, isBoolean, 'true or false', location),
    ...optional('tags', tags, isTextList, 'a list of texts', location),
    ...optional('metadata', metadata, isShallowObject, AN_OBJECT, location),
    ...optional(
      'branchOf',
      branchOf,
      isBranch,
      'an object with conversationId and messageId',
      location,
    ),
  };
  requireShallow(extra, '', location);
  return { known, extra };
}

/** VALIDATION_ERROR if a file with these fields could not be parsed again. */
export function requireReadable(fields: object): void {
  try {
    readOptional({ ...fields }, { path: '', conversationId: '' });
  } catch (cause) {
    if (!isAppError(cause)) throw cause;
    const { at, expected } = cause.details ?? {};
    throw new AppError('VALIDATION_ERROR', `${at} of a conversation must be ${expected}.`, {
      details: { field: at },
    });
  }
}

const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';
const isClientId = (value: unknown): value is string => isString(value) && CLIENT_ID.test(value);
const isBranch = (value: unknown): value is { conversationId: string; messageId: string } =>
  isRecord(value) && isString(value['conversationId']) && isString(value['messageId']);
