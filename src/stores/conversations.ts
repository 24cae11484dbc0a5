/**
 * Conversations: one dated folder each, with a `conversation.json` that is replaced atomically
 * under a cross-process lock. (Interface first; the implementation follows.)
 */
import type {
  Conversation,
  ConversationHead,
  JsonObject,
  Message,
  Role,
} from './conversations/schema.js';

export interface NewMessage {
  role: Role;
  content: string;
  parentMessageId?: string;
  metadata?: JsonObject;
}

export interface NewConversation {
  messages?: readonly NewMessage[];
  title?: string;
  module?: string;
  clientId?: string;
  tags?: readonly string[];
  metadata?: JsonObject;
}

export interface AppendOptions {
  /** With a client key that no conversation has yet: create it (once, also across processes). */
  create?: boolean;
  /** Decided under the lock, on what is on disk at that moment: true leaves the file as it is. */
  unless?: (current: Conversation) => boolean;
}

export interface AppendResult {
  head: ConversationHead;
  /** The stored messages, in order; empty when `unless` said so. */
  messages: readonly Message[];
  /** Position of the first of them, from 1. */
  seq: number;
  created: boolean;
}

/** `ref` is a conversation id or a client key; anything else is VALIDATION_ERROR before any file access. */
export interface ConversationStore {
  /** Durable when it resolves. */
  create(conversation: NewConversation): Promise<Conversation>;
  /** What is on disk now. CONVERSATION_NOT_FOUND, CONVERSATION_CORRUPTED, FORMAT_TOO_NEW, FILESYSTEM_ERROR. */
  load(ref: string): Promise<Conversation>;
  /** All of `messages` in one replace. Also CONVERSATION_FULL, MESSAGE_NOT_FOUND (parent), STORAGE_FULL, LOCKED. */
  append(
    ref: string,
    messages: readonly NewMessage[],
    options?: AppendOptions,
  ): Promise<AppendResult>;
  /** Newest `updatedAt` first. Damaged files are left out. */
  list(): Promise<ConversationHead[]>;
  exists(ref: string): Promise<boolean>;
  /** Absolute path of the conversation's folder. Takes an id, not a key. */
  path(conversationId: string): string;
}
