/**
 * Chats of Cursor's editor, from `state.vscdb`. A chat is a composer; it lists the ids of its messages
 * (bubbles), each of which is a row of the table `cursorDiskKV`. Older chats are in another table
 * (cursor-old-chats.ts).
 */

import {
  definedOrNothing,
  isRecord,
  objectIn,
  objectsIn,
  textIn,
} from '../../../base/json-fields.js';
import type { InputFile } from '../../../files/input/input-types.js';
import type { SqliteFile } from '../../../files/input/sqlite.js';
import type { JsonObject } from '../../../stores/conversations/document/schema.js';
import { sqliteSource } from '../../reading/documents/databases.js';
import { unreadable, unreadableConversation } from '../../reading/documents/documents.js';
import { TurnBuilder } from '../../reading/messages/turns.js';
import { fileLine } from '../../reading/text/attachment-lines.js';
import { paragraphs } from '../../reading/text/paragraphs.js';
import { timeIn } from '../../reading/text/times.js';
import type { Activity, ImportItem, ImportProblem } from '../../source-interface.js';
import { jsonOfValue, OLD_CHAT_COLUMNS, oldChats } from './cursor-old-chats.js';

const COLUMNS = ['cursorDiskKV.key', 'cursorDiskKV.value'];
const COMPOSER = 'composerData:';
const USER = 1;

export const cursor = sqliteSource({
  kind: 'cursor',
  title: 'chats of Cursor (editor)',
  columns: COLUMNS,
  olderColumns: OLD_CHAT_COLUMNS,
  *items(database, file, { activity }) {
    if (database.columns('cursorDiskKV').has('key')) yield* composers(database, file, activity);
    if (database.columns('ItemTable').has('key')) yield* oldChats(database, file, activity);
  },
});

function* composers(
  database: SqliteFile,
  file: InputFile,
  activity: Activity,
): Generator<ImportItem> {
  const sql = `SELECT key, value FROM cursorDiskKV WHERE key >= ? AND key < ? ORDER BY key`;
  for (const { key, value } of database.rows(sql, [COMPOSER, `${COMPOSER.slice(0, -1)};`])) {
    // The editor sets the row of a deleted chat to NULL.
    if (value === null) continue;
    const id = String(key).slice(COMPOSER.length);
    const record = `composer ${id}`;
    const composer = jsonOfValue(value);
    if (!isRecord(composer)) {
      yield unreadableConversation(file.name, record);
      continue;
    }
    const turns = new TurnBuilder(activity);
    for (const bubble of bubblesOf(database, file, id, composer)) {
      if ('problem' in bubble) yield bubble.problem;
      else addBubble(turns, bubble.fields);
    }
    const messages = turns.messages();
    if (messages.length === 0) continue;
    yield {
      type: 'conversation',
      path: file.name,
      record,
      id,
      fileTimeMs: file.modifiedAtMs,
      title: textIn(composer['name']),
      createdAt: timeIn(composer['createdAt']),
      updatedAt: timeIn(composer['lastUpdatedAt']),
      messages,
      leftOut: turns.leftOut,
    };
  }
}

type Bubble = { readonly fields: JsonObject } | { readonly problem: ImportProblem };

/** Older composers have their bubbles in their own row; newer ones have a list of ids. */
function* bubblesOf(
  database: SqliteFile,
  { name: path }: InputFile,
  id: string,
  composer: JsonObject,
): Generator<Bubble> {
  for (const fields of objectsIn(composer['conversation'])) yield { fields };
  for (const header of objectsIn(composer['fullConversationHeadersOnly'])) {
    const bubbleId = textIn(header['bubbleId']);
    if (bubbleId === undefined) continue;
    const sql = 'SELECT value FROM cursorDiskKV WHERE key = ?';
    const [row] = database.rows(sql, [`bubbleId:${id}:${bubbleId}`]);
    const bubble = jsonOfValue(row?.['value']);
    const record = `composer ${id}, bubble ${bubbleId}`;
    if (isRecord(bubble)) yield { fields: { ...header, ...bubble } };
    else if (row !== undefined) yield { problem: unreadable(path, record) };
    else {
      const message = `${record} is not in ${path}: a message of this chat is missing.`;
      yield { problem: { type: 'problem', path, record, code: 'CORRUPT', message } };
    }
  }
}

function addBubble(turns: TurnBuilder, bubble: JsonObject): void {
  const id = textIn(bubble['bubbleId']);
  const timing = objectIn(bubble['timingInfo']);
  const createdAt = timeIn(bubble['createdAt']) ?? timeIn(timing['clientStartTime']);
  const content = paragraphs([textIn(bubble['text']), ...imageLines(bubble)]);
  if (bubble['type'] === USER) {
    turns.addMessage({ id, createdAt, role: 'user', content });
    return;
  }
  turns.addThinking(textIn(objectIn(bubble['thinking'])['text']), { id, createdAt });
  const tool = bubble['toolFormerData'];
  const name = textIn(objectIn(tool)['name']);
  if (isRecord(tool) && name !== undefined) {
    const input = tool['rawArgs'] ?? tool['params'];
    turns.addToolCall({ name, input, result: textIn(tool['result']) }, { id, createdAt });
  }
  const model = textIn(objectIn(bubble['modelInfo'])['modelName']);
  turns.addMessage({
    id,
    createdAt,
    role: 'assistant',
    content,
    metadata: definedOrNothing({ model }),
  });
}

/** A line for each image of the message. Cursor has an image in both lists or in one of them. */
function imageLines(bubble: JsonObject): string[] {
  const selected = objectIn(bubble['context'])['selectedImages'];
  const lines = [...objectsIn(bubble['images']), ...objectsIn(selected)].flatMap(
    (image) => fileLine({ ...image, type: 'image' }) ?? [],
  );
  return [...new Set(lines)];
}
