/**
 * Reduces a conversation to what may be shared: messages with their times, title, module and tags.
 * Left out are system messages, metadata, keys, fields that Daybook does not know, and everything
 * that points at other conversations. What people said is not touched.
 */
import type { JsonObject } from '../stores/conversations/document/schema.js';
import type { ExportedDocument } from './formats.js';

/** A new document; the one given stays as it is. */
export function forSharing(document: ExportedDocument): ExportedDocument {
  const { conversationId, createdAt, updatedAt, formatVersion, title, module, tags } = document;
  const shared = document.messages.filter(({ role }) => role !== 'system');
  const ids = new Set(shared.map(({ id }) => id));
  const messages = shared.map((message) => sharedMessage(message, ids));
  const messageCount = messages.length;
  const head = { conversationId, createdAt, updatedAt, messageCount, formatVersion };
  return withoutAbsent({ ...head, title, module, tags, messages }) as ExportedDocument;
}

function sharedMessage(message: JsonObject, ids: ReadonlySet<unknown>): JsonObject {
  const { id, role, content, createdAt, parentMessageId: parent } = message;
  const parentMessageId = ids.has(parent) ? parent : undefined;
  return withoutAbsent({ id, role, content, createdAt, parentMessageId });
}

const withoutAbsent = (value: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined));
