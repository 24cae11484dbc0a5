/**
 * Reads messages in the format of OpenAI's chat API, which many programs write: `role`, `content` (a text
 * or a list of parts), and tool calls with their results.
 */

import { parsedJson } from '../../../base/json.js';
import {
  definedOrNothing,
  isRecord,
  listIn,
  objectIn,
  objectsIn,
  textIn,
} from '../../../base/json-fields.js';
import type { JsonObject } from '../../../stores/conversations/document/schema.js';
import { attachmentLine, fileLine } from '../text/attachment-lines.js';
import { paragraphs } from '../text/paragraphs.js';
import { roleIn } from '../text/roles.js';
import { timeIn } from '../text/times.js';
import type { TurnBuilder } from './turns.js';

const TIMES = ['createdAt', 'created_at', 'timestamp', 'create_time', 'time', 'date'] as const;

/** Whether a document has a list of such messages. */
export function hasMessages(value: unknown): value is JsonObject & { messages: unknown[] } {
  if (!isRecord(value)) return false;
  const { messages } = value;
  return Array.isArray(messages) && messages.length > 0 && objectsIn(messages).some(isMessage);
}

/** Whether a document is a conversation to which nothing was said yet. */
export const hasNoMessages = (value: unknown): value is JsonObject =>
  isRecord(value) && Array.isArray(value['messages']) && value['messages'].length === 0;

export const isMessage = (value: JsonObject): boolean =>
  typeof value['role'] === 'string' && ('content' in value || 'tool_calls' in value);

const isTurn = (value: JsonObject): boolean =>
  typeof value['from'] === 'string' && typeof value['value'] === 'string';

/**
 * The document with a list `messages`. ShareGPT and training data have the messages in `conversations`,
 * usually as `from` and `value`; other documents are returned as they are.
 */
export function withMessages(document: unknown): unknown {
  if (!isRecord(document) || 'messages' in document) return document;
  const given = document['conversations'];
  const records = objectsIn(given);
  const hasTurns = records.some((record) => isTurn(record) || isMessage(record));
  const isEmpty = Array.isArray(given) && given.length === 0;
  if (!(hasTurns || isEmpty) || records.some(hasMessages)) return document;
  const system = textIn(document['system']);
  const prompt = system === undefined ? [] : [{ role: 'system', content: system }];
  const messages = records.map((record) => (isTurn(record) ? messageOfTurn(record) : record));
  return { ...document, messages: [...prompt, ...messages] };
}

const TURN_ROLES: Readonly<Record<string, string>> = {
  observation: 'tool',
  bing: 'assistant',
  bard: 'assistant',
};

function messageOfTurn({ from, value, ...others }: JsonObject): JsonObject {
  const speaker = String(from);
  if (speaker !== 'function_call') {
    return { ...others, role: TURN_ROLES[speaker] ?? speaker, content: value };
  }
  const call = parsedJson(String(value));
  const named = textIn(objectIn(call)['name']) !== undefined;
  const tool_calls = [named ? call : { name: 'tool', arguments: value }];
  return { ...others, role: 'assistant', content: '', tool_calls };
}

/** The time of a document, from the first of the usual field names that it has. */
export function anyTimeIn(fields: JsonObject): string | undefined {
  for (const name of TIMES) {
    const time = timeIn(fields[name]);
    if (time !== undefined) return time;
  }
  return undefined;
}

export function addOpenAiMessage(turns: TurnBuilder, message: JsonObject): void {
  const origin = { id: textIn(message['id']), createdAt: anyTimeIn(message) };
  const spoken = contentText(message['content']);
  const files = [...objectsIn(message['attachments']), ...objectsIn(message['files'])];
  const other = textIn(message['refusal']) ?? textIn(message['text']);
  const content = paragraphs([spoken === '' ? other : spoken, ...files.map(fileLine)]);
  if (message['role'] === 'tool' || message['role'] === 'function') {
    turns.addToolResult(
      { name: textIn(message['name']), text: content },
      textIn(message['tool_call_id']),
    );
    return;
  }
  const role = roleIn(message['role']);
  if (role === undefined) {
    turns.countLeftOut('of an unknown role');
    return;
  }
  if (content === '' && !isEmpty(message['content']))
    turns.countLeftOut('parts of an unknown type');
  turns.addThinking(textIn(message['reasoning_content']) ?? textIn(message['reasoning']), origin);
  const { parentMessageId, parent_message_id, metadata } = message;
  turns.addMessage({
    role,
    content,
    ...origin,
    parentId: textIn(parentMessageId) ?? textIn(parent_message_id),
    metadata: definedOrNothing({ ...objectIn(metadata), model: textIn(message['model']) }),
  });
  for (const call of objectsIn(message['tool_calls'])) {
    const called = objectIn(call['function']);
    const name = textIn(called['name']) ?? textIn(call['name']) ?? 'tool';
    turns.addToolCall(
      { name, input: called['arguments'] ?? call['arguments'] },
      origin,
      textIn(call['id']),
    );
  }
}

/** Whether a content without text has nothing that could be a text. */
const isEmpty = (content: unknown): boolean =>
  typeof (content ?? '') === 'string' ||
  (Array.isArray(content) &&
    objectsIn(content).every(
      (part) => 'text' in part || ACTIVITY.test(textIn(part['type']) ?? ''),
    ));

export function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  const given: readonly unknown[] = isRecord(content) ? [content] : listIn(content);
  const parts = given.map((part) => {
    if (typeof part === 'string') return part;
    const fields = objectIn(part);
    return textIn(fields['text']) ?? textIn(fields['refusal']) ?? partLine(fields);
  });
  return paragraphs(parts);
}

/** Parts that have names, but are no files. */
const ACTIVITY = /tool|function|thinking|reasoning/;

function partLine(part: JsonObject): string {
  const type = textIn(part['type']) ?? '';
  const url = textIn(objectIn(part['image_url'])['url']) ?? textIn(part['image_url']);
  const path = textIn(part['path']);
  if (type === 'local_image' && path !== undefined) return attachmentLine('image', path);
  if (url !== undefined) return attachmentLine('image', url.startsWith('data:') ? 'inline' : url);
  if (ACTIVITY.test(type)) return '';
  const line = fileLine(part);
  // For a file without a name, the type tells the reader more than the line.
  return line?.includes(':') || !/image|audio|video|file/.test(type) ? (line ?? '') : `[${type}]`;
}
