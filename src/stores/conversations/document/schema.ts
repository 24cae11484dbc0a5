/**
 * The shape of `conversation.json` (docs/FORMAT.md): what is read from disk and what the store hands out.
 * Files are written by people too, so reading is lenient where a value can be derived
 * and strict where guessing could lose something. Unknown fields are kept.
 */
import { isoTime } from '../../../base/clock.js';

/** UTC date and Unix milliseconds. Only the shape is checked: the two parts may disagree. */
export const CONVERSATION_ID = /^\d{8}-\d{13}$/;

/** The id for a time in Unix milliseconds, from 1970 to 2286. */
export function conversationIdAt(ms: number): string {
  return `${isoTime(ms).slice(0, 10).replaceAll('-', '')}-${String(ms).padStart(13, '0')}`;
}

/** A key of the caller's own; never starts like an id, so that the two cannot be confused. */
export const CLIENT_ID = /^(?!\d{8}-\d)[A-Za-z0-9._-]{1,128}$/;

export const ROLES = ['system', 'user', 'assistant'] as const;
export type Role = (typeof ROLES)[number];

export type JsonObject = { [key: string]: unknown };

export interface Message {
  readonly id: string;
  readonly role: Role;
  /** Exactly as given; lone surrogates and control characters included. */
  readonly content: string;
  /** ISO 8601. For a message added by hand: the time of the message before it. */
  readonly createdAt: string;
  readonly parentMessageId?: string;
  readonly metadata?: JsonObject;
}

/** Everything about a conversation but its messages. */
export interface ConversationHead {
  readonly conversationId: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly messageCount: number;
  readonly title?: string;
  /** The message from whose first sentence the title was derived; absent if the title was given. */
  readonly titleFrom?: string;
  readonly module?: string;
  readonly clientId?: string;
  readonly pinned?: boolean;
  readonly tags?: readonly string[];
  readonly metadata?: JsonObject;
  readonly branchOf?: { readonly conversationId: string; readonly messageId: string };
}

export interface Conversation extends ConversationHead {
  /** In the order of the file; a message's `seq` is its position here, from 1. */
  readonly messages: readonly Message[];
}
