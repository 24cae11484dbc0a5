/** Adds the messages and changes of several callers to a document in memory: all of one caller, or none of them. */

import { isoTime } from '../../../base/clock.js';
import { AppError } from '../../../base/errors.js';
import { newUuid } from '../../../base/ids.js';
import { isRecord, type JsonObject } from '../../../base/json-fields.js';
import { countOf } from '../../../base/text/display-text.js';
import type { Outcome } from '../../../files/atomic/group-commit.js';
import { isCommand, titleOf } from './derived-title.js';
import type { ConversationDocument } from './document.js';
import { amendmentOf, type HeadChange } from './head-change.js';
import { jsonCopy } from './json-copy.js';
import {
  type Conversation,
  type ConversationHead,
  type Message,
  ROLES,
  type Role,
} from './schema.js';

export interface NewMessage {
  role: Role;
  content: string;
  parentMessageId?: string;
  metadata?: JsonObject;
}

/** An existing message with its id and time: for branches, merges and imports only. */
export interface PastMessage extends NewMessage {
  /** Unique within the conversation. If omitted, a new UUID. */
  id?: string;
  /** Any form that `Date.parse` accepts. If omitted, the present time. */
  createdAt?: string;
}

/** The fields of a new conversation besides its messages. */
export interface ConversationFields {
  title?: string;
  module?: string;
  tags?: readonly string[];
  metadata?: JsonObject;
}

/** The additional fields of a branch, a merge or an import. The id is derived from `createdAt`. */
export interface PastFields extends ConversationFields {
  createdAt?: string;
  updatedAt?: string;
  clientId?: string;
  pinned?: boolean;
  branchOf?: NonNullable<ConversationHead['branchOf']>;
}

export interface AppendOptions {
  /**
   * If no conversation has the client key yet, creates one with these fields, once across all
   * processes. The fields do not change an existing conversation.
   */
  create?: boolean | ConversationFields;
  /** If the store cannot be written now, the messages wait in memory (`DeferredMessages`). */
  mayDefer?: boolean;
  /** Called under the lock with the current conversation. If it returns true, nothing is written. */
  skipIf?: (current: Conversation) => boolean;
}

export interface AppendRequest {
  messages: readonly PastMessage[];
  options: AppendOptions;
  /** A function gets the fields as they are under the lock. */
  change?: HeadChange | ((head: ConversationHead) => HeadChange);
  /** A parent may be missing: a person may have removed or moved it in the file. */
  mayLackParents?: boolean;
}

export interface Applied {
  /** The stored messages, in order; empty if `skipIf` returned true. */
  messages: readonly Message[];
  /** Position of the first of them, from 1. */
  seq: number;
}

export interface Limits {
  maxMessages: number;
  nowMs: number;
}

/** One outcome for each request: CONVERSATION_FULL, MESSAGE_NOT_FOUND (parent), VALIDATION_ERROR. */
export function applyAppends(
  document: ConversationDocument,
  requests: readonly AppendRequest[],
  limits: Limits,
): Outcome<Applied>[] {
  return requests.map((request) => {
    try {
      return { value: applyAppend(document, request, limits) };
    } catch (error) {
      return { error };
    }
  });
}

/** If it throws, the document is unchanged. */
function applyAppend(
  document: ConversationDocument,
  { messages, options, change, mayLackParents }: AppendRequest,
  { maxMessages, nowMs }: Limits,
): Applied {
  requireMessages(messages);
  const seq = document.length + 1;
  if (options.skipIf?.(document.draft())) return { messages: [], seq };
  const count = document.length + messages.length;
  if (count > maxMessages) throw full(document, count, maxMessages);
  const stored = messages.map((message) => toStored(message, nowMs));
  requireUnique(document, stored);
  if (!mayLackParents) requireParents(document, stored);
  const amendment = change === undefined ? {} : amendmentBy(change, document.draftHead());
  const hadNoUserMessage = !document.hasUserMessage;
  for (const message of stored) document.add(message);
  document.amend(amendment);
  deriveTitle(document, stored, hadNoUserMessage);
  return { messages: stored, seq };
}

const amendmentBy = (change: NonNullable<AppendRequest['change']>, head: ConversationHead) =>
  amendmentOf(head, typeof change === 'function' ? change(head) : change);

/** VALIDATION_ERROR for a value that would make the whole file unreadable. */
function requireMessages(messages: readonly PastMessage[]): void {
  requireField(
    'messages',
    Array.isArray(messages) && messages.every(isRecord),
    'a list of messages',
  );
  for (const { role, content, metadata, ...texts } of messages) {
    requireField('role', ROLES.includes(role), `one of ${ROLES.join(', ')}`);
    requireField('content', typeof content === 'string', 'a text');
    requireField('metadata', metadata === undefined || isRecord(metadata), 'an object');
    for (const field of ['id', 'createdAt', 'parentMessageId'] as const) {
      requireField(field, ['undefined', 'string'].includes(typeof texts[field]), 'a text');
    }
  }
}

function requireField(field: string, isRight: boolean, takes: string): void {
  if (isRight) return;
  throw new AppError('VALIDATION_ERROR', `The ${field} of a message must be ${takes}.`, {
    details: { field },
  });
}

function toStored(message: PastMessage, nowMs: number): Message {
  const { id = newUuid(), role, content, createdAt, parentMessageId, metadata, ...extra } = message;
  return {
    id,
    role,
    content,
    createdAt: createdAt === undefined ? isoTime(nowMs) : timeOf(createdAt),
    ...(parentMessageId === undefined ? {} : { parentMessageId }),
    ...(metadata === undefined ? {} : { metadata: jsonCopy(metadata) }),
    // Fields of a file that this version does not know.
    ...(Object.keys(extra).length > 0 && jsonCopy(extra)),
  };
}

/** Returns the time in the one form of all times, so that they can be compared as texts. */
function timeOf(text: string): string {
  const epochMs = Date.parse(text);
  if (!Number.isNaN(epochMs)) return isoTime(epochMs);
  const shown = JSON.stringify(String(text).slice(0, 60));
  throw new AppError('VALIDATION_ERROR', `${shown} is not a time.`);
}

/** The fields of a new conversation, with its times in that form. VALIDATION_ERROR. */
export function withTimes<T extends Pick<PastFields, 'createdAt' | 'updatedAt'>>(fields: T): T {
  const { createdAt, updatedAt } = fields;
  return {
    ...fields,
    ...(createdAt !== undefined && { createdAt: timeOf(createdAt) }),
    ...(updatedAt !== undefined && { updatedAt: timeOf(updatedAt) }),
  };
}

/**
 * Derives a title only from the first message of a user, so a title removed later stays removed. If that is only
 * a command for a program, such as `/clear`, the first other message of the user gives a better title.
 */
function deriveTitle(
  document: ConversationDocument,
  added: readonly Message[],
  hadNoUserMessage: boolean,
): void {
  const { title: known, titleFrom } = document.draftHead();
  const isOfCommand = titleFrom !== undefined && known !== undefined && isCommand(known);
  if (!isOfCommand && (known !== undefined || !hadNoUserMessage)) return;
  const users = added.filter(({ role }) => role === 'user');
  const first =
    users.find(({ content }) => !isCommand(content)) ?? (isOfCommand ? undefined : users[0]);
  const title = first && titleOf(first.content);
  if (first && title !== undefined) document.amend({ title, titleFrom: first.id });
}

function requireUnique(document: ConversationDocument, added: readonly Message[]): void {
  const seen = new Set<string>();
  for (const { id } of added) {
    if (id === '' || seen.has(id) || document.positionOf(id) !== undefined) {
      throw new AppError(
        'VALIDATION_ERROR',
        `The message id ${JSON.stringify(id.slice(0, 200))} is empty or used twice.`,
      );
    }
    seen.add(id);
  }
}

/** A parent must be an earlier message. */
function requireParents(document: ConversationDocument, added: readonly Message[]): void {
  const before = new Set<string>();
  for (const { id, parentMessageId: parent } of added) {
    const isThere =
      parent === undefined || before.has(parent) || document.positionOf(parent) !== undefined;
    if (!isThere) throw noParent(document, parent);
    before.add(id);
  }
}

function noParent({ head: { conversationId } }: ConversationDocument, parent: string): AppError {
  const parentMessageId = parent.slice(0, 200);
  return new AppError(
    'MESSAGE_NOT_FOUND',
    `Conversation ${conversationId} has no message with the id ${JSON.stringify(parentMessageId)}, which is given as parentMessageId.`,
    { details: { conversationId, parentMessageId } },
  );
}

function full(
  { head, length }: ConversationDocument,
  count: number,
  maxMessages: number,
): AppError {
  const { conversationId } = head;
  return new AppError(
    'CONVERSATION_FULL',
    `Conversation ${conversationId} would have ${countOf(count, 'message')}. The limit is ${maxMessages}.`,
    { details: { conversationId, messageCount: length, maxMessages } },
  );
}

/** Gives messages ids, for a write that may be repeated. A value of a wrong type is refused later. */
export function withIds(messages: readonly PastMessage[]): readonly PastMessage[] {
  if (!Array.isArray(messages)) return messages;
  return messages.map((message) =>
    typeof message === 'object' && message !== null ? { id: newUuid(), ...message } : message,
  );
}
