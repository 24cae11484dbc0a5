/**
 * Chats of Cursor's command line in `chats/<folder>/<id>/store.db`: SQLite with blobs whose ids are their
 * digests. `meta` names the root blob. It is a Protocol Buffers message whose field 1 lists the digests of
 * the messages, in order. Each message is JSON.
 */

import { posix } from 'node:path';
import { parsedJson } from '../../../base/json.js';
import { definedOrNothing, objectIn, objectsIn, textIn } from '../../../base/json-fields.js';
import type { InputFile } from '../../../files/input/input-types.js';
import type { SqliteFile } from '../../../files/input/sqlite.js';
import type { JsonObject } from '../../../stores/conversations/document/schema.js';
import { sqliteSource } from '../../reading/documents/databases.js';
import { TurnBuilder } from '../../reading/messages/turns.js';
import { timeIn } from '../../reading/text/times.js';
import type { Activity, ImportItem } from '../../source-interface.js';
import { typedText } from './cursor-cli-text.js';

const DIGEST_BYTES = 32;

export const cursorChats = sqliteSource({
  kind: 'cursor-cli',
  title: 'chats of Cursor (command line)',
  columns: ['blobs.id', 'blobs.data', 'meta.key', 'meta.value'],
  items: (database, file, { activity }) => chatsIn(database, file, activity),
});

function* chatsIn(
  database: SqliteFile,
  file: InputFile,
  activity: Activity,
): Generator<ImportItem> {
  for (const { value } of database.rows('SELECT value FROM meta ORDER BY key')) {
    const meta = metaIn(value);
    const root = textIn(meta['latestRootBlobId']);
    if (root === undefined) continue;
    const id = textIn(meta['agentId']) ?? posix.basename(posix.dirname(file.name));
    const location = { path: file.name, record: `chat ${id}` };
    const turns = new TurnBuilder(activity);
    const digests = [...digestsIn(blobOf(database, root))];
    const known = digests.filter((digest) =>
      addMessage(turns, messageOf(blobOf(database, digest))),
    );
    if (digests.length > 0 && known.length === 0) {
      const message = `${location.record} of ${file.name} has a format that Daybook does not support.`;
      yield { type: 'problem', ...location, code: 'CORRUPT', message, isConversation: true };
      continue;
    }
    yield {
      type: 'conversation',
      ...location,
      id,
      fileTimeMs: file.modifiedAtMs,
      title: textIn(meta['name']),
      createdAt: timeIn(meta['createdAt']),
      metadata: definedOrNothing({ model: textIn(meta['lastUsedModel']) }),
      // A transcript of the same chat has more messages and replaces this one.
      isRemnant: true,
      messages: turns.messages(),
      leftOut: turns.leftOut,
    };
  }
}

/** The value is JSON, or JSON in hexadecimal digits. */
function metaIn(value: unknown): JsonObject {
  const text = textOfBlob(value);
  return objectIn(parsedJson(text) ?? parsedJson(Buffer.from(text, 'hex').toString('utf8')));
}

const messageOf = (blob: unknown): JsonObject => objectIn(parsedJson(textOfBlob(blob)));

const textOfBlob = (value: unknown): string =>
  value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : String(value ?? '');

function blobOf(database: SqliteFile, id: string): unknown {
  for (const { data } of database.rows('SELECT data FROM blobs WHERE id = ?', [id])) return data;
  return undefined;
}

/** The digests in field 1 of a Protocol Buffers message, in hexadecimal digits. */
function* digestsIn(blob: unknown): Generator<string> {
  if (!(blob instanceof Uint8Array)) return;
  const bytes = Buffer.from(blob);
  let at = 0;
  const number = () => {
    let value = 0;
    for (let shift = 0; at < bytes.length; shift += 7) {
      const byte = bytes[at++] ?? 0;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) break;
    }
    return value;
  };
  while (at < bytes.length) {
    const tag = number();
    const wire = tag % 8;
    if (wire === 0) number();
    else if (wire === 1) at += 8;
    else if (wire === 5) at += 4;
    else if (wire !== 2) return;
    else {
      const length = number();
      if (tag === 10 && length === DIGEST_BYTES) yield bytes.toString('hex', at, at + length);
      at += length;
    }
  }
}

/** Returns false if the object is no message. */
function addMessage(turns: TurnBuilder, { role, content }: JsonObject): boolean {
  if (typeof role !== 'string') return false;
  const parts =
    typeof content === 'string' ? [{ type: 'text', text: content }] : objectsIn(content);
  for (const part of parts) {
    const name = textIn(part['toolName']) ?? 'tool';
    const callId = textIn(part['toolCallId']);
    if (part['type'] === 'reasoning') turns.addThinking(textIn(part['text']));
    if (part['type'] === 'tool-call')
      turns.addToolCall({ name, input: part['args'] ?? part['input'] }, {}, callId);
    if (part['type'] === 'tool-result') {
      const result = part['result'] ?? part['output'];
      const text = typeof result === 'string' ? result : (JSON.stringify(result) ?? '');
      turns.addToolResult({ name, text }, callId);
    }
  }
  const said = parts
    .filter(({ type }) => type === 'text')
    .flatMap(({ text }) => textIn(text) ?? []);
  const text = said.join('\n\n');
  if (role === 'assistant') turns.addMessage({ role, content: text });
  else if (role === 'user') {
    const typed =
      text.includes('<user_query>') || !text.startsWith('<') ? typedText(turns, text) : '';
    if (typed === '') turns.countLeftOut('injected context');
    else turns.addMessage({ role, content: typed });
  } else if (role === 'system') turns.countLeftOut('injected context');
  return true;
}
