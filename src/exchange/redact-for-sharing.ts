/**
 * Removes everything from a conversation that must not be shared. It keeps messages with their times,
 * title, module and tags, and the addresses of the web pages that they cite, to which marks such as `[2]`
 * refer. It removes system messages, other metadata, keys, unknown fields, and references to other
 * conversations. The text of messages is not changed.
 */
import { defined } from '../base/json.js';
import { type JsonObject, objectIn, objectsIn, textIn } from '../base/json-fields.js';
import type { ExportedDocument } from './export-formats.js';

/** Returns a new document and does not change the given one. */
export function forSharing(document: ExportedDocument): ExportedDocument {
  const { conversationId, createdAt, updatedAt, formatVersion, title, module, tags } = document;
  const shared = document.messages.filter(({ role }) => role !== 'system');
  const ids = new Set(shared.map(({ id }) => id));
  const messages = shared.map((message) => sharedMessage(message, ids));
  const messageCount = messages.length;
  const head = { conversationId, createdAt, updatedAt, messageCount, formatVersion };
  return defined({ ...head, title, module, tags, messages }) as ExportedDocument;
}

function sharedMessage(message: JsonObject, ids: ReadonlySet<unknown>): JsonObject {
  const { id, role, content, createdAt, parentMessageId: parent } = message;
  const parentMessageId = ids.has(parent) ? parent : undefined;
  const sources = citedPages(objectIn(message['metadata'])['sources']);
  const metadata = sources.length === 0 ? undefined : { sources };
  return defined({ id, role, content, createdAt, parentMessageId, metadata });
}

/** Pages of the web without their snippets; not files and pages of other kinds. */
const citedPages = (sources: unknown) =>
  objectsIn(sources)
    .filter(({ url }) => /^https?:\/\//i.test(textIn(url) ?? ''))
    .map(({ id, url, title, date, alsoMarked }) => defined({ id, url, title, date, alsoMarked }));
