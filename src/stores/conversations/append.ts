/**
 * Putting the messages of several callers into one document, each caller's as a whole or not at all.
 */
import { isoTime } from '../../base/clock.js';
import { AppError } from '../../base/errors.js';
import { newUuid } from '../../base/ids.js';
import type { Outcome } from '../../files/group-commit.js';
import type { ConversationDocument } from './document.js';
import type { Conversation, JsonObject, Message, Role } from './schema.js';

export interface NewMessage {
  role: Role;
  content: string;
  parentMessageId?: string;
  metadata?: JsonObject;
}

/** What a new conversation may be given besides messages. */
export interface ConversationFields {
  title?: string;
  module?: string;
  tags?: readonly string[];
  metadata?: JsonObject;
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
  messages: readonly NewMessage[];
  options: AppendOptions;
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

/** One outcome a request, in order. Failures: CONVERSATION_FULL, MESSAGE_NOT_FOUND (parent). */
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

function applyAppend(
  document: ConversationDocument,
  { messages, options }: AppendRequest,
  { maxMessages, nowMs }: Limits,
): Applied {
  const seq = document.length + 1;
  if (options.unless?.(document.draft())) return { messages: [], seq };
  if (document.length + messages.length > maxMessages) throw full(document, maxMessages);
  const createdAt = isoTime(nowMs);
  const stored = messages.map(({ role, content, parentMessageId, metadata }) => ({
    id: newUuid(),
    role,
    content,
    createdAt,
    ...(parentMessageId === undefined ? {} : { parentMessageId }),
    ...(metadata === undefined ? {} : { metadata: asStored(metadata) }),
  }));
  for (const { parentMessageId } of messages) requireParent(document, parentMessageId);
  for (const message of stored) document.add(message);
  return { messages: stored, seq };
}

/**
 * The value as the file will give it back, and nobody else's to change. VALIDATION_ERROR where JSON
 * cannot hold it: one caller's fault must not fail the write of all that wait.
 */
export function asStored<T extends object>(value: T): T {
  try {
    return JSON.parse(JSON.stringify(value));
  } catch (cause) {
    throw new AppError('VALIDATION_ERROR', 'The metadata cannot be written as JSON.', { cause });
  }
}

function requireParent(document: ConversationDocument, parentMessageId: string | undefined): void {
  if (parentMessageId === undefined || document.positionOf(parentMessageId) !== undefined) return;
  const { conversationId } = document.head;
  throw new AppError(
    'MESSAGE_NOT_FOUND',
    `Conversation ${conversationId} has no message ${JSON.stringify(parentMessageId.slice(0, 200))} to answer to.`,
    { details: { conversationId, parentMessageId: parentMessageId.slice(0, 200) } },
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
