/**
 * Converts the records of a Codex session. In the `legacy` format messages are response items, some of them
 * injected by the program. In the `paginated` format messages are completed items, and response items of
 * users are never prompts.
 */

import { derivedUuid } from '../../../base/ids.js';
import {
  definedOrNothing,
  listIn,
  objectIn,
  objectsIn,
  textIn,
  textsIn,
} from '../../../base/json-fields.js';
import type { JsonObject } from '../../../stores/conversations/document/schema.js';
import { contentText } from '../../reading/messages/openai-messages.js';
import type { TurnBuilder } from '../../reading/messages/turns.js';

interface RecordContext {
  readonly sessionId: string | undefined;
  readonly createdAt: string | undefined;
  readonly model: string | undefined;
}

/** Beginnings of texts that Codex adds before the user's text. */
const INJECTED =
  /^\s*(<(user_instructions|environment_context|permissions instructions|collaboration_mode|skills?_instructions|turn_aborted|recommended_plugins|skill|user_shell_command|INSTRUCTIONS|subagent_notification)\b|# AGENTS\.md instructions)/i;

/** The extension of an editor puts the names of the open files before the prompt. */
const EDITOR_CONTEXT =
  /^\s*# Context from my IDE setup:[\s\S]*?\n## My request for Codex:[^\S\n]*\n/;

function withoutEditorContext(turns: TurnBuilder, text: string): string {
  const own = text.replace(EDITOR_CONTEXT, '');
  if (own !== text) turns.countLeftOut('injected context');
  return own;
}

/** Codex puts the image of the user between these tags. */
const IMAGE_TAG = /^\s*<\/?image\b[^>]*>\s*$/;

export function addLegacyRecord(
  turns: TurnBuilder,
  type: string,
  payload: JsonObject,
  at: RecordContext,
): void {
  if (type !== 'response_item') return;
  const kind = payload['type'];
  if (kind === 'message') addMessage(turns, payload, at);
  else addActivity(turns, payload, at);
}

function addMessage(
  turns: TurnBuilder,
  payload: JsonObject,
  { sessionId = '', createdAt, model }: RecordContext,
): void {
  const { role } = payload;
  const parts = objectsIn(payload['content']).filter(
    ({ text }) => !IMAGE_TAG.test(textIn(text) ?? ''),
  );
  const typed = parts.filter((part) => !INJECTED.test(textIn(part['text']) ?? ''));
  if (role === 'developer' || role === 'system' || typed.length < parts.length) {
    turns.countLeftOut('injected context');
  }
  const content = contentText(typed);
  const id = textIn(payload['id']);
  if (role === 'user') {
    const own = withoutEditorContext(turns, content);
    // An import by an older version has the whole text, under this id.
    const olderId =
      own === content ? undefined : derivedUuid('codex', sessionId, role, content, '1');
    turns.addMessage({ id: id ?? olderId, createdAt, role, content: own });
  } else if (role === 'assistant') {
    turns.addMessage({ id, createdAt, role, content, metadata: definedOrNothing({ model }) });
  }
}

function addActivity(turns: TurnBuilder, payload: JsonObject, { createdAt }: RecordContext): void {
  const callId = textIn(payload['call_id']) ?? textIn(payload['id']);
  switch (payload['type']) {
    case 'reasoning':
      for (const part of [...listIn(payload['summary']), ...listIn(payload['content'])]) {
        turns.addThinking(textIn(objectIn(part)['text']), { createdAt });
      }
      break;
    case 'function_call':
    case 'custom_tool_call':
    case 'local_shell_call':
    case 'web_search_call': {
      const name = textIn(payload['name']) ?? String(payload['type']).replace(/_call$/, '');
      const input = payload['arguments'] ?? payload['input'] ?? payload['action'];
      turns.addToolCall({ name, input }, { createdAt }, callId);
      break;
    }
    case 'function_call_output':
    case 'custom_tool_call_output':
      turns.addToolResult({ text: outputText(payload['output']) }, callId);
      break;
    default:
  }
}

function outputText(output: unknown): string {
  if (typeof output === 'string') return output;
  const { content, output: inner } = objectIn(output);
  return textIn(content) ?? textIn(inner) ?? contentText(Array.isArray(output) ? output : content);
}

export function addPaginatedRecord(
  turns: TurnBuilder,
  type: string,
  payload: JsonObject,
  at: RecordContext,
): void {
  const { createdAt, model } = at;
  const isTurn = type === 'item_completed' || payload['type'] === 'item_completed';
  if (!isTurn) {
    const isUser = payload['type'] === 'message' && payload['role'] === 'user';
    if (type === 'response_item' && isUser) turns.countLeftOut('injected context');
    return;
  }
  const item = objectIn(payload['item']);
  const origin = { id: textIn(item['id']), createdAt };
  const content = textIn(item['text']) ?? contentText(item['content']);
  switch (item['type']) {
    case 'UserMessage':
      turns.addMessage({ ...origin, role: 'user', content: withoutEditorContext(turns, content) });
      break;
    case 'AgentMessage':
    case 'Plan': // what the assistant proposes in plan mode; the message does not repeat it
      turns.addMessage({
        ...origin,
        role: 'assistant',
        content,
        metadata: definedOrNothing({ model }),
      });
      break;
    case 'Reasoning':
      for (const list of [item['summary_text'], item['raw_content']]) {
        turns.addThinking(textsIn(list).join('\n'), origin);
      }
      turns.addThinking(content, origin);
      break;
    case 'HookPrompt':
      turns.countLeftOut('injected context');
      break;
    case 'ContextCompaction':
      turns.countLeftOut('compactions');
      break;
    default:
      turns.addToolCall(callOf(item), origin);
  }
}

const INPUTS = ['command', 'changes', 'query', 'arguments', 'prompt', 'revised_prompt', 'path'];
const RESULTS = ['aggregated_output', 'output', 'saved_path', 'error'];

function callOf(item: JsonObject) {
  const input = INPUTS.map((name) => item[name]).find((value) => value !== undefined);
  const parts = objectIn(item['result'])['content'] ?? item['content_items'];
  const texts = RESULTS.map((name) => textIn(item[name]));
  const error = textIn(objectIn(item['error'])['message']);
  const result = [...texts, contentText(parts), error].find((text) => textIn(text) !== undefined);
  const name = textIn(item['tool']) ?? textIn(item['type']) ?? 'tool';
  return { name, input, result, isError: item['status'] === 'failed' };
}
