/** Converts one node of a ChatGPT conversation to a message, a tool call or a tool result. */

import { parsedJson } from '../../../base/json.js';
import {
  definedOrNothing,
  objectIn,
  objectsIn,
  textIn,
  textsIn,
} from '../../../base/json-fields.js';
import { fenced } from '../../../base/text/code-block.js';
import type { JsonObject } from '../../../stores/conversations/document/schema.js';
import type { TreeNode } from '../../reading/messages/tree.js';
import type { TurnBuilder } from '../../reading/messages/turns.js';
import { attachmentLine, fileLine, type NamedFiles } from '../../reading/text/attachment-lines.js';
import { paragraphs } from '../../reading/text/paragraphs.js';
import { timeIn } from '../../reading/text/times.js';
import { linksOf, withShownCitations } from './chatgpt-citations.js';

export interface ChatGptNode extends TreeNode {
  readonly message: JsonObject | undefined;
}

export function nodesOf(mapping: JsonObject): ChatGptNode[] {
  // Some exports lack either the `parent` or the `children` of nodes, so both are used.
  const parents = new Map<string, string>();
  for (const [id, node] of Object.entries(mapping)) {
    const children = objectIn(node)['children'];
    for (const child of textsIn(children)) parents.set(child, id);
  }
  return Object.entries(mapping).map(([id, node]) => {
    const fields = objectIn(node);
    const { message } = fields;
    return {
      id,
      parent: textIn(fields['parent']) ?? parents.get(id),
      message: message === null || message === undefined ? undefined : objectIn(message),
    };
  });
}

const INJECTED = new Set(['user_editable_context', 'model_editable_context']);

interface Read {
  readonly message: JsonObject;
  readonly metadata: JsonObject;
  readonly content: JsonObject;
  readonly type: string;
  readonly origin: { id: string; createdAt: string | undefined };
}

/** Adds the message of the node, or counts it as left out. */
export function addNode(turns: TurnBuilder, { id, message }: ChatGptNode, names: NamedFiles): void {
  if (message === undefined) return;
  const report = researchReport(message);
  const reason = report === undefined ? leftOutOf(message) : undefined;
  if (reason !== undefined) turns.countLeftOut(reason);
  else addMessage(turns, id, report ?? message, names);
}

/**
 * The report of a deep research. The page shows it in a window of its own, so it is in the state of that
 * window, which belongs to a hidden message of a tool.
 */
function researchReport(message: JsonObject): JsonObject | undefined {
  const state = objectIn(objectIn(message['metadata'])['chatgpt_sdk'])['widget_state'];
  const report = objectIn(typeof state === 'string' ? parsedJson(state) : state)['report_message'];
  const { content, metadata } = objectIn(report);
  if (spokenParts(objectIn(content)) === '') return undefined;
  const { id, create_time } = message;
  return { id, create_time, author: { role: 'assistant' }, content, metadata };
}

function leftOutOf(message: JsonObject): string | undefined {
  const type = textIn(objectIn(message['content'])['content_type']);
  if (type !== undefined && INJECTED.has(type)) return 'injected context';
  const isHidden = objectIn(message['metadata'])['is_visually_hidden_from_conversation'] === true;
  if (isHidden || message['weight'] === 0) return 'hidden';
  return type === 'reasoning_recap' ? 'thinking' : undefined;
}

function addMessage(turns: TurnBuilder, id: string, message: JsonObject, names: NamedFiles): void {
  const metadata = objectIn(message['metadata']);
  const content = objectIn(message['content']);
  const type = textIn(content['content_type']) ?? 'text';
  const origin = {
    id: textIn(message['id']) ?? id,
    createdAt: timeIn(message['create_time']),
  };
  const read = { message, metadata, content, type, origin };
  for (let left = unreadableParts(read, names); left > 0; left -= 1) {
    turns.countLeftOut('parts of an unknown type');
  }
  const role = textIn(objectIn(message['author'])['role']);
  if (role === 'tool') addToolMessage(turns, read, names);
  else if (type === 'thoughts') addThoughts(turns, read);
  else if (role === 'assistant' && isToolCall(message)) addToolCall(turns, read);
  else if (role === 'user' || role === 'assistant' || role === 'system') {
    turns.addMessage({
      ...origin,
      role,
      content: textOfMessage(read, names),
      metadata: definedOrNothing({ model: textIn(metadata['model_slug']) }),
    });
  } else turns.countLeftOut('of an unknown role');
}

/** The number of parts of the content that have neither a text nor a file. */
function unreadableParts({ content, type }: Read, names: NamedFiles): number {
  const isUnreadable = (part: JsonObject) => !('text' in part) && partText(part, names) === '';
  if (Array.isArray(content['parts']))
    return objectsIn(content['parts']).filter(isUnreadable).length;
  const { content_type, ...fields } = content;
  const isKnown = ['text', 'result', 'thoughts'].some((name) => name in fields);
  const isEmpty = Object.keys(fields).length === 0;
  return isKnown || isEmpty || bodyOf(content, type, names) !== '' ? 0 : 1;
}

const isToolCall = ({ recipient }: JsonObject) =>
  typeof recipient === 'string' && recipient !== 'all' && recipient !== '';

function addThoughts(turns: TurnBuilder, { content, origin }: Read): void {
  for (const thought of objectsIn(content['thoughts'])) {
    turns.addThinking(textIn(thought['content']) ?? textIn(thought['summary']), origin);
  }
}

/** A canvas is a text for the user that the assistant writes by a tool call, so it becomes a message. */
function addToolCall(turns: TurnBuilder, read: Read): void {
  const { message, content, origin, metadata } = read;
  const name = String(message['recipient']);
  const text = textIn(content['text']) ?? spokenParts(content);
  const canvas = name.startsWith('canmore.') ? canvasText(parsedJson(text)) : undefined;
  const model = definedOrNothing({ model: textIn(metadata['model_slug']) });
  if (canvas === undefined) turns.addToolCall({ name, input: text }, origin, origin.id);
  else turns.addMessage({ ...origin, role: 'assistant', content: canvas, metadata: model });
}

function canvasText(value: unknown): string | undefined {
  const { name, type, content, updates } = objectIn(value);
  const written = textIn(content);
  if (written !== undefined) {
    const language = textIn(type)?.replace(/^(code|document)\/?/, '') ?? '';
    const body = textIn(type)?.startsWith('code') ? fenced(written, language) : written;
    return `${attachmentLine('canvas', textIn(name) ?? 'untitled')}\n\n${body}`;
  }
  const replaced = objectsIn(updates).flatMap((update) => textIn(update['replacement']) ?? []);
  return replaced.length === 0 ? undefined : ['[canvas changed]', ...replaced].join('\n\n');
}

/** A result of a tool. Images of a tool are shown to the user, so they become part of the message. */
function addToolMessage(turns: TurnBuilder, read: Read, names: NamedFiles): void {
  const { message, content, type, origin } = read;
  const name = textIn(objectIn(message['author'])['name']) ?? 'tool';
  const pictures = objectsIn(content['parts']).flatMap((part) => pictureLine(part, names) ?? []);
  const text = type === 'multimodal_text' ? spokenParts(content) : textOfMessage(read, names);
  const isError = type === 'system_error';
  if (text !== '' || pictures.length === 0) turns.addToolResult({ name, text, isError });
  if (pictures.length > 0) {
    turns.addMessage({ ...origin, role: 'assistant', content: pictures.join('\n') });
  }
}

const spokenParts = (content: JsonObject) => textsIn(content['parts']).join('\n\n');

function textOfMessage({ content, metadata, type }: Read, names: NamedFiles): string {
  const body = withShownCitations(bodyOf(content, type, names), metadata);
  // An uploaded image is both a part and an attachment; it is named again only if its line lacks the name.
  const attachments = objectsIn(metadata['attachments']);
  if (attachments.length === 0) return body;
  const pointers = JSON.stringify(content['parts'] ?? []);
  const files = attachments.flatMap((file) => {
    const id = textIn(file['id']);
    const given = textIn(file['name']);
    const found = names(id ?? given ?? '');
    const name = given ?? found?.title ?? id ?? 'unnamed';
    const isNamed = found?.title === name || found?.path.includes(name);
    const isShown = id !== undefined && pointers.includes(`://${id}"`) && isNamed;
    return isShown ? [] : attachmentLine('file', name, found?.path);
  });
  return paragraphs([body, ...files]);
}

function bodyOf(content: JsonObject, type: string, names: NamedFiles): string {
  if (Array.isArray(content['parts'])) {
    const parts = content['parts'].map((part: unknown) =>
      typeof part === 'string' ? part : partText(objectIn(part), names),
    );
    return paragraphs(parts);
  }
  const text = textIn(content['text']) ?? textIn(content['result']) ?? '';
  if (type === 'tether_quote') return paragraphs([linksOf([content]), text]);
  if (type === 'file' && text === '') return fileLine(content) ?? '';
  if (type !== 'code' || text === '') return text;
  const language = textIn(content['language']) ?? '';
  return fenced(text, language === 'unknown' ? '' : language);
}

function partText(part: JsonObject, names: NamedFiles): string {
  const isFile = /file|document/.test(textIn(part['content_type']) ?? '');
  const said = pictureLine(part, names) ?? textIn(part['text']);
  return said ?? (isFile ? fileLine(part) : undefined) ?? '';
}

function pictureLine(part: JsonObject, names: NamedFiles): string | undefined {
  const pointer = textIn(part['asset_pointer']);
  if (pointer === undefined) return recordingLine(part, names);
  const kind = /^(audio|video|file)/.exec(textIn(part['content_type']) ?? '')?.[1] ?? 'image';
  const id = pointer.replace(/^[a-z-]+:\/\//, '');
  const file = names(id);
  return attachmentLine(kind, file?.title ?? file?.path ?? id, file?.path);
}

/** What was said in a voice conversation is one part with its sound, and perhaps its video. */
function recordingLine(part: JsonObject, names: NamedFiles): string | undefined {
  const lines = ['audio_asset_pointer', 'video_container_asset_pointer'].flatMap((name) => {
    const asset = objectIn(part[name]);
    return textIn(asset['asset_pointer']) === undefined ? [] : (pictureLine(asset, names) ?? []);
  });
  return lines.length === 0 ? undefined : lines.join('\n');
}
