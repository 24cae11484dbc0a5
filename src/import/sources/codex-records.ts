/**
 * Records of a Codex session. In the older form (`legacy`) messages are response items, some of them
 * injected by the program; in the newer one (`paginated`) turns are items that were completed, and the
 * response items of users are never prompts.
 */
import type { JsonObject } from '../../stores/conversations/document/schema.js';
import { definedOrNothing, listIn, objectIn, objectsIn, textIn } from '../reading/fields.js';
import { contentText } from '../reading/openai-messages.js';
import type { Turns } from '../reading/turns.js';

interface At {
  readonly createdAt: string | undefined;
  readonly model: string | undefined;
}

/** What Codex puts in front of a user's words. */
const INJECTED =
  /^\s*(<(user_instructions|environment_context|permissions instructions|collaboration_mode|skills?_instructions|turn_aborted|user_shell_command|INSTRUCTIONS|subagent_notification)\b|# AGENTS\.md instructions)/i;

export function addLegacyRecord(turns: Turns, type: string, payload: JsonObject, at: At): void {
  if (type !== 'response_item') return;
  const kind = payload['type'];
  if (kind === 'message') addMessage(turns, payload, at);
  else addActivity(turns, payload, at);
}

function addMessage(turns: Turns, payload: JsonObject, { createdAt, model }: At): void {
  const { role } = payload;
  const parts = objectsIn(payload['content']);
  const typed = parts.filter((part) => !INJECTED.test(textIn(part['text']) ?? ''));
  if (role === 'developer' || role === 'system' || typed.length < parts.length) {
    turns.leaveOut('injected context');
  }
  const content = contentText(typed);
  const id = textIn(payload['id']);
  if (role === 'user') turns.say({ id, createdAt, role, content });
  else if (role === 'assistant') {
    turns.say({ id, createdAt, role, content, metadata: definedOrNothing({ model }) });
  }
}

function addActivity(turns: Turns, payload: JsonObject, { createdAt }: At): void {
  const callId = textIn(payload['call_id']) ?? textIn(payload['id']);
  switch (payload['type']) {
    case 'reasoning':
      for (const part of [...listIn(payload['summary']), ...listIn(payload['content'])]) {
        turns.think(textIn(objectIn(part)['text']), { createdAt });
      }
      break;
    case 'function_call':
    case 'custom_tool_call':
    case 'local_shell_call':
    case 'web_search_call': {
      const name = textIn(payload['name']) ?? String(payload['type']).replace(/_call$/, '');
      const input = payload['arguments'] ?? payload['input'] ?? payload['action'];
      turns.call({ name, input }, { createdAt }, callId);
      break;
    }
    case 'function_call_output':
    case 'custom_tool_call_output':
      turns.result({ text: outputText(payload['output']) }, callId);
      break;
    default:
  }
}

function outputText(output: unknown): string {
  if (typeof output === 'string') return output;
  const { content, output: inner } = objectIn(output);
  return textIn(content) ?? textIn(inner) ?? contentText(Array.isArray(output) ? output : content);
}

export function addPaginatedRecord(turns: Turns, type: string, payload: JsonObject, at: At): void {
  const { createdAt, model } = at;
  const isTurn = type === 'item_completed' || payload['type'] === 'item_completed';
  if (!isTurn) {
    const isUser = payload['type'] === 'message' && payload['role'] === 'user';
    if (type === 'response_item' && isUser) turns.leaveOut('injected context');
    return;
  }
  const item = objectIn(payload['item']);
  const origin = { id: textIn(item['id']), createdAt };
  const content = textIn(item['text']) ?? contentText(item['content']);
  switch (item['type']) {
    case 'UserMessage':
      turns.say({ ...origin, role: 'user', content });
      break;
    case 'AgentMessage':
      turns.say({ ...origin, role: 'assistant', content, metadata: definedOrNothing({ model }) });
      break;
    case 'Reasoning':
      turns.think(content === '' ? listIn(item['summary_text']).join('\n') : content, origin);
      break;
    default:
      turns.call(callOf(item), origin);
  }
}

function callOf(item: JsonObject) {
  const { type, command, changes, query } = item;
  const input = command ?? changes ?? query ?? item['arguments'];
  const result = textIn(item['aggregated_output']) ?? textIn(item['output']);
  return { name: textIn(type) ?? 'tool', input, result, isError: item['status'] === 'failed' };
}
