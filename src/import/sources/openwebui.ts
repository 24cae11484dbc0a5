/** Chats that OpenWebUI exports: a list whose elements have a tree of messages. */

import { isRecord, objectIn, objectsIn, textIn, textsIn } from '../../base/json-fields.js';
import type { InputFile } from '../../files/input/input-types.js';
import type { JsonObject } from '../../stores/conversations/document/schema.js';
import {
  hasRecord,
  type JsonRecord,
  recordsOf,
  unreadableConversation,
} from '../reading/documents/documents.js';
import { addOpenAiMessage, contentText, isMessage } from '../reading/messages/openai-messages.js';
import type { TreeNode } from '../reading/messages/tree.js';
import { headOfBranch, treeConversations } from '../reading/messages/tree-conversations.js';
import { TurnBuilder } from '../reading/messages/turns.js';
import { attachmentLine } from '../reading/text/attachment-lines.js';
import { paragraphs } from '../reading/text/paragraphs.js';
import { timeIn } from '../reading/text/times.js';
import type { ImportItem, ReadOptions, Source } from '../source-interface.js';
import { openWebUiActivity } from './openwebui-activity.js';

interface ChatNode extends TreeNode {
  readonly fields: JsonObject;
}

export const openWebUi: Source = {
  kind: 'openwebui',
  title: 'chats of OpenWebUI',
  async detect({ form, files }) {
    const [file] = form === 'file' ? files : [];
    return file !== undefined && (await hasRecord(file, (chat) => historyIn(chat) !== undefined));
  },
  async *read({ files }, options) {
    for (const file of files) {
      for await (const record of recordsOf(file)) yield* conversations(record, file, options);
    }
  },
};

function historyIn(value: unknown): JsonObject | undefined {
  const chat = objectIn(objectIn(value)['chat']);
  const { history } = chat;
  if (isRecord(history) && isRecord(history['messages'])) return history;
  const list = objectsIn(chat['messages']);
  return list.length > 0 && list.every(isMessage) ? historyOfList(list) : undefined;
}

/** Older chats have only the list of the messages that are shown. */
function historyOfList(list: readonly JsonObject[]): JsonObject {
  const ids = list.map((message, index) => textIn(message['id']) ?? `m${index + 1}`);
  const nodes = list.map((message, index) => [
    ids[index] ?? '',
    { ...message, parentId: ids[index - 1] ?? null },
  ]);
  return { messages: Object.fromEntries(nodes), currentId: ids.at(-1) ?? null };
}

function* conversations(
  { value, path, record }: JsonRecord,
  file: InputFile,
  { activity }: ReadOptions,
): Generator<ImportItem> {
  const history = historyIn(value);
  const fields = objectIn(value);
  const id = textIn(fields['id']);
  if (history === undefined || id === undefined) {
    yield unreadableConversation(path, record);
    return;
  }
  const nodes = Object.entries(objectIn(history['messages'])).map(([own, message]): ChatNode => {
    const given = objectIn(message);
    return { id: own, parent: textIn(given['parentId']), fields: { ...given, id: own } };
  });
  const read = (some: readonly ChatNode[]) => {
    const turns = new TurnBuilder(activity);
    for (const { fields } of some) addChatMessage(turns, fields);
    return turns;
  };
  const head = {
    title: textIn(fields['title']) ?? textIn(objectIn(fields['chat'])['title']),
    createdAt: timeIn(fields['created_at']),
    updatedAt: timeIn(fields['updated_at']),
    pinned: fields['pinned'] === true,
    tags: [...tagsOf(fields), ...(fields['archived'] === true ? ['archived'] : [])],
  };
  for (const branch of treeConversations(id, nodes, textIn(history['currentId']), read)) {
    yield {
      type: 'conversation',
      path,
      record,
      fileTimeMs: file.modifiedAtMs,
      ...headOfBranch(head, branch),
      ...branch,
    };
  }
}

/** Files are beside the text. */
function addChatMessage(turns: TurnBuilder, fields: JsonObject): void {
  const files = objectsIn(fields['files']).map(fileText);
  const given = contentText(fields['content']);
  const text = fields['role'] === 'assistant' ? withoutActivity(turns, fields, given) : given;
  const content = paragraphs([text, ...files]);
  addOpenAiMessage(turns, { ...fields, files: undefined, content });
}

/** Adds the thinking and the tool calls in an answer, and returns its other text. */
function withoutActivity(turns: TurnBuilder, fields: JsonObject, text: string): string {
  const origin = { id: textIn(fields['id']), createdAt: timeIn(fields['timestamp']) };
  const { activities, rest } = openWebUiActivity(text);
  for (const { type, attributes, body } of activities) {
    if (type === 'reasoning') turns.addThinking(body.replaceAll(/^> ?/gm, '').trim(), origin);
    else if (type === 'code_interpreter') {
      turns.addToolCall({ name: type, input: body, result: attributes['output'] }, origin);
    } else {
      const { name = 'tool', arguments: input, result = body } = attributes;
      turns.addToolCall({ name, input, result }, origin);
    }
  }
  return rest;
}

/** The name of a file, and the text that OpenWebUI extracted from it and gave to the model. */
function fileText(file: JsonObject): string {
  const kind = file['type'] === 'image' ? 'image' : 'file';
  const inner = objectIn(file['file']);
  const name = textIn(file['name']) ?? textIn(inner['filename']);
  const url = textIn(file['url']) ?? kind;
  const line = attachmentLine(kind, name ?? (url.startsWith('data:') ? 'inline' : url));
  // In a temporary chat the text is not in the inner file, because the file was not uploaded.
  const text = (textIn(objectIn(inner['data'])['content']) ?? textIn(file['content']) ?? '').trim();
  return text === '' || text.startsWith('data:') ? line : `${line}\n\n${text}`;
}

function tagsOf(fields: JsonObject): string[] {
  const meta = objectIn(fields['meta'])['tags'];
  const names = objectsIn(meta).flatMap((tag) => textIn(tag['name']) ?? []);
  return [...textsIn(meta), ...names];
}
