/**
 * Chats of Cursor's editor, from `state.vscdb`: a composer names its bubbles, each of which is a row of
 * its own in the table `cursorDiskKV`.
 */
import type { InputFile } from '../../files/input/input-types.js';
import type { SqliteFile } from '../../files/input/sqlite.js';
import type { JsonObject } from '../../stores/conversations/document/schema.js';
import { sqliteSource } from '../reading/databases.js';
import {
  definedOrNothing,
  isObject,
  objectIn,
  objectsIn,
  parsedJson,
  textIn,
} from '../reading/fields.js';
import { timeIn } from '../reading/times.js';
import { Turns } from '../reading/turns.js';
import type { Activity, ImportItem } from '../source.js';

const COLUMNS = ['cursorDiskKV.key', 'cursorDiskKV.value'];
const COMPOSER = 'composerData:';
const USER = 1;

export const cursor = sqliteSource({
  kind: 'cursor',
  title: 'chats of Cursor (editor)',
  columns: COLUMNS,
  items: (database, file, { activity }) => composers(database, file, activity),
});

function* composers(
  database: SqliteFile,
  file: InputFile,
  activity: Activity,
): Generator<ImportItem> {
  const sql = `SELECT key, value FROM cursorDiskKV WHERE key >= ? AND key < ? ORDER BY key`;
  for (const { key, value } of database.rows(sql, [COMPOSER, `${COMPOSER.slice(0, -1)};`])) {
    const id = String(key).slice(COMPOSER.length);
    const composer = jsonOf(value);
    if (composer === undefined) continue;
    const turns = new Turns(activity);
    for (const bubble of bubblesOf(database, id, composer)) addBubble(turns, bubble);
    const messages = turns.messages();
    if (messages.length === 0) continue;
    yield {
      type: 'conversation',
      ...{ path: file.name, record: `composer ${id}`, id, fileTimeMs: file.modifiedAtMs },
      title: textIn(composer['name']),
      createdAt: timeIn(composer['createdAt']),
      updatedAt: timeIn(composer['lastUpdatedAt']),
      messages,
      leftOut: turns.leftOut,
    };
  }
}

/** Older composers hold their bubbles themselves; newer ones only name them, in order. */
function* bubblesOf(database: SqliteFile, id: string, composer: JsonObject): Generator<JsonObject> {
  yield* objectsIn(composer['conversation']);
  for (const header of objectsIn(composer['fullConversationHeadersOnly'])) {
    const bubbleId = textIn(header['bubbleId']);
    if (bubbleId === undefined) continue;
    const sql = 'SELECT value FROM cursorDiskKV WHERE key = ?';
    for (const { value } of database.rows(sql, [`bubbleId:${id}:${bubbleId}`])) {
      const bubble = jsonOf(value);
      if (bubble !== undefined) yield { ...header, ...bubble };
    }
  }
}

function addBubble(turns: Turns, bubble: JsonObject): void {
  const id = textIn(bubble['bubbleId']);
  const timing = objectIn(bubble['timingInfo']);
  const createdAt = timeIn(bubble['createdAt']) ?? timeIn(timing['clientStartTime']);
  const content = textIn(bubble['text']) ?? '';
  if (bubble['type'] === USER) {
    turns.say({ id, createdAt, role: 'user', content });
    return;
  }
  turns.think(textIn(objectIn(bubble['thinking'])['text']), { id, createdAt });
  const tool = bubble['toolFormerData'];
  const name = textIn(objectIn(tool)['name']);
  if (isObject(tool) && name !== undefined) {
    const input = tool['rawArgs'] ?? tool['params'];
    turns.call({ name, input, result: textIn(tool['result']) }, { id, createdAt });
  }
  const model = textIn(objectIn(bubble['modelInfo'])['modelName']);
  turns.say({ id, createdAt, role: 'assistant', content, metadata: definedOrNothing({ model }) });
}

function jsonOf(value: unknown): JsonObject | undefined {
  const text = value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : value;
  const parsed = typeof text === 'string' ? parsedJson(text) : undefined;
  return isObject(parsed) ? parsed : undefined;
}
