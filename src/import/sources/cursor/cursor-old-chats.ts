/**
 * Chats of older versions of Cursor's editor: rows of the table `ItemTable` in the `state.vscdb` of a
 * workspace. One row has the tabs of the chat panel with their messages (bubbles); another has all prompts,
 * without answers.
 */

import { basename, dirname } from 'node:path';
import { parsedJson } from '../../../base/json.js';
import {
  definedOrNothing,
  isRecord,
  listIn,
  objectIn,
  objectsIn,
  textIn,
} from '../../../base/json-fields.js';
import type { InputFile } from '../../../files/input/input-types.js';
import type { SqliteFile } from '../../../files/input/sqlite.js';
import type { JsonObject } from '../../../stores/conversations/document/schema.js';
import { unreadable, unreadableConversation } from '../../reading/documents/documents.js';
import { TurnBuilder } from '../../reading/messages/turns.js';
import { timeIn } from '../../reading/text/times.js';
import type { Activity, ImportedMessage, ImportItem } from '../../source-interface.js';

export const OLD_CHAT_COLUMNS = ['ItemTable.key', 'ItemTable.value'];

const TABS = 'workbench.panel.aichat.view.aichat.chatdata';
const PROMPTS = 'aiService.prompts';
/** If this row exists, the prompts in this file belong to newer chats in another file. */
const COMPOSERS = 'composer.composerData';

export function* oldChats(
  database: SqliteFile,
  file: InputFile,
  activity: Activity,
): Generator<ImportItem> {
  const typed = new Set<string>();
  const chats = rowOf(database, TABS);
  if (chats !== undefined && !isRecord(chats.json)) yield unreadable(file.name, TABS);
  else if (isRecord(chats?.json)) {
    for (const [index, tab] of listIn(chats.json['tabs']).entries()) {
      yield tabOf(tab, index, file, activity, typed);
    }
  }
  const prompts = rowOf(database, PROMPTS);
  if (prompts === undefined || rowOf(database, COMPOSERS) !== undefined) return;
  if (!Array.isArray(prompts.json)) yield unreadable(file.name, PROMPTS);
  else yield* promptsOf(objectsIn(prompts.json), file, typed);
}

/** Returns a conversation or a problem. Adds the texts of the user to `typed`. */
function tabOf(
  tab: unknown,
  index: number,
  file: InputFile,
  activity: Activity,
  typed: Set<string>,
): ImportItem {
  const fields = objectIn(tab);
  const id = textIn(fields['tabId']) ?? textIn(fields['id']);
  const record = `chat ${id ?? `[${index}]`}`;
  if (id === undefined || !Array.isArray(fields['bubbles'])) {
    return unreadableConversation(file.name, record);
  }
  const turns = new TurnBuilder(activity);
  for (const bubble of objectsIn(fields['bubbles'])) addBubble(turns, bubble);
  const messages = turns.messages();
  for (const { role, content } of messages) if (role === 'user') typed.add(content.trim());
  return {
    type: 'conversation',
    path: file.name,
    record,
    id,
    fileTimeMs: file.modifiedAtMs,
    title: textIn(fields['chatTitle']) ?? textIn(fields['title']),
    updatedAt: timeIn(fields['lastSendTime']) ?? timeIn(fields['timestamp']),
    messages,
    leftOut: turns.leftOut,
  };
}

function addBubble(turns: TurnBuilder, bubble: JsonObject): void {
  const id = textIn(bubble['id']);
  const content = textIn(bubble['text']) ?? textIn(bubble['rawText']) ?? '';
  const model = textIn(bubble['modelType']);
  if (bubble['type'] === 'user') turns.addMessage({ id, role: 'user', content });
  else if (bubble['type'] === 'ai') {
    turns.addMessage({ id, role: 'assistant', content, metadata: definedOrNothing({ model }) });
  } else turns.countLeftOut('of an unknown role');
}

/** The prompts that no chat of this file has, as one conversation for the workspace. */
function* promptsOf(
  prompts: readonly JsonObject[],
  file: InputFile,
  typed: ReadonlySet<string>,
): Generator<ImportItem> {
  const messages = prompts.flatMap(({ text }): ImportedMessage[] => {
    const content = textIn(text);
    const isNew = content !== undefined && content.trim() !== '' && !typed.has(content.trim());
    return isNew ? [{ role: 'user', content }] : [];
  });
  if (messages.length === 0) return;
  const workspace = basename(dirname(file.diskPath ?? file.name));
  yield {
    type: 'conversation',
    path: file.name,
    record: PROMPTS,
    id: `prompts:${workspace}`,
    tags: ['prompts'],
    isRemnant: true,
    fileTimeMs: file.modifiedAtMs,
    messages,
  };
}

/** `undefined` if the row is missing or empty. */
function rowOf(database: SqliteFile, key: string): { readonly json: unknown } | undefined {
  const [row] = database.rows('SELECT value FROM ItemTable WHERE key = ?', [key]);
  const value = row?.['value'];
  return value === undefined || value === null ? undefined : { json: jsonOfValue(value) };
}

/** Parses a value that is JSON, as text or as bytes; `undefined` if it is not JSON. */
export function jsonOfValue(value: unknown): unknown {
  const text = value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : value;
  return typeof text === 'string' ? parsedJson(text) : undefined;
}
