/**
 * Putting the messages and changes of several callers into one document, each caller's as a whole
 * or not at all.
 */

import { isoTime } from '../../../base/clock.js';
import { AppError } from '../../../base/errors.js';
import { newUuid } from '../../../base/ids.js';
import { isRecord } from '../../../base/is-record.js';
import type { Outcome } from '../../../files/atomic/group-commit.js';
import { asStored } from '../document/as-stored.js';
import type { ConversationDocument } from '../document/document.js';
import { amendmentOf, type HeadChange } from '../document/head-change.js';
import {
  type Conversation,
  type ConversationHead,
  type JsonObject,
  type Message,
  ROLES,
  type Role,
} from '../document/schema.js';
import { titleOf } from '../document/title.js';

export interface NewMessage {
  role: Role;
  content: string;
  parentMessageId?: string;
  metadata?: JsonObject;
}

/** A message that was said before, somewhere else: for branches, merges and imports only. */
export interface PastMessage extends NewMessage {
  /** Not an id of another message of the conversation; a new one where it is left out. */
  id?: string;
  /** Any form that `Date.parse` takes; now, where it is left out. */
  createdAt?: string;
}

/** What a new conversation may be given besides messages. */
export interface ConversationFields {
  title?: string;
  module?: string;
  tags?: readonly string[];
  metadata?: JsonObject;
}

/** What a conversation that has a past may be given besides; the id is made from `createdAt`. */
export interface PastFields extends ConversationFields {
  createdAt?: string;
  updatedAt?: string;
  clientId?: string;
  pinned?: boolean;
  branchOf?: NonNullable<ConversationHead['branchOf']>;
}

export interface AppendOptions {
  /**
   * With a client key that no conversation has yet: create it (once, also across processes),
   * with these fields; on one that exists they change nothing.
   */
  create?: boolean | ConversationFields;
  /** Decided under the lock, on what is on disk at that moment: true leaves the file as it is. */
  unless?: (current: Conversation) => boolean;
}

export interface AppendRequest {
  messages: readonly PastMessage[];
  options: AppendOptions;
  change?: HeadChange;
}

export interface Applied {
  /** The stored messages, in order; empty when `unless` said so. */
  messages: readonly Message[];
  /** Position of the first of them, from 1. */
  seq: number;
}

export interface Limits {
  maxMessages: number;
  nowMs: number;
}

/** One outcome a request, in order. Failures: CONVERSATION_FULL, MESSAGE_NOT_FOUND (parent), VALIDATION_ERROR. */
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

/** Throws before it changes anything. */
function applyAppend(
  document: ConversationDocument,
  { messages, options, change = {} }: AppendRequest,
  { maxMessages, nowMs }: Limits,
): Applied {
  requireMessages(messages);
  const seq = document.length + 1;
  if (options.unless?.(document.draft())) return { messages: [], seq };
  if (document.length + messages.length > maxMessages) throw full(document, maxMessages);
  const now = isoTime(nowMs);
  const stored = messages.map((message) => toStored(message, now));
  requireUnique(document, stored);
  requireParents(document, stored);
  const amendment = amendmentOf(document.draftHead(), change);
  const wasSilent = !document.hasUserMessage;
  for (const message of stored) document.add(message);
  document.amend(amendment);
  if (wasSilent) giveTitle(document, stored);
  return { messages: stored, seq };
}

/** A file that holds anything else could not be read again, and with it all that was said before. */
function requireMessages(messages: readonly PastMessage[]): void {
  requireField('messages', Array.isArray(messages) && messages.every(isRecord), 'a list of them');
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
  throw new AppError('VALIDATION_ERROR', `The ${field} of what is appended takes ${takes}.`, {
    details: { field },
  });
}

function toStored(message: PastMessage, now: string): Message {
  const { id = newUuid(), role, content, createdAt, parentMessageId, metadata, ...extra } = message;
  return {
    id,
    role,
    content,
    createdAt: createdAt === undefined ? now : timeOf(createdAt),
    ...(parentMessageId === undefined ? {} : { parentMessageId }),
    ...(metadata === undefined ? {} : { metadata: asStored(metadata) }),
    ...asStored(extra), // fields of a file that this version does not know
  };
}

/** One form for every time, so that times compare as texts. */
function timeOf(text: string): string {
  const epochMs = Date.parse(text);
  if (!Number.isNaN(epochMs)) return isoTime(epochMs);
  throw new AppError('VALIDATION_ERROR', `${JSON.stringify(text.slice(0, 60))} is no time.`);
}

/** Only at the first word of a user: a title that was taken away later stays away. */
function giveTitle(document: ConversationDocument, added: readonly Message[]): void {
  if (document.draftHead().title !== undefined) return;
  const first = added.find(({ role }) => role === 'user');
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

/** A parent is a message that comes before. */
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
    `Conversation ${conversationId} has no message ${JSON.stringify(parentMessageId)} to answer to.`,
    { details: { conversationId, parentMessageId } },
  );
}

function full({ head, length }: ConversationDocument, maxMessages: number): AppError {
  const { conversationId } = head;
  return new AppError(
    'CONVERSATION_FULL',
    `Conversation ${conversationId} holds ${length} messages; the limit is ${maxMessages}.`,
    { details: { conversationId, messageCount: length, maxMessages } },
  );
}
