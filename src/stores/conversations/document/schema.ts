/**
 * The types of `conversation.json` (docs/FORMAT.md), in the file and in the results of the store. People
 * write such files too, so the reader accepts missing values that can be derived, and refuses values if a
 * guess could lose data. Unknown fields are kept.
 */
import type { JsonObject } from '../../../base/json-fields.js';

export type { JsonObject };

export const ROLES = ['system', 'user', 'assistant'] as const;
export type Role = (typeof ROLES)[number];

export interface Message {
  readonly id: string;
  readonly role: Role;
  /** The exact text, with lone surrogates and control characters. */
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
  /** In the order of the file. The `seq` of a message is its position here, from 1. */
  readonly messages: readonly Message[];
}
