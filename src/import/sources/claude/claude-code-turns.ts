/** Converts nodes of Claude Code's sessions to messages, tool calls and thinking. */

import { defined } from '../../../base/json.js';
import {
  definedOrNothing,
  numberIn,
  objectIn,
  objectsIn,
  textIn,
} from '../../../base/json-fields.js';
import type { JsonObject } from '../../../stores/conversations/document/schema.js';
import type { TurnBuilder } from '../../reading/messages/turns.js';
import { fileLine } from '../../reading/text/attachment-lines.js';
import { paragraphs } from '../../reading/text/paragraphs.js';
import { extractElements, withoutElements } from '../../reading/text/tagged-text.js';
import type { CodeNode, ToolResult } from './claude-code-lines.js';

const INJECTED = [
  'system-reminder',
  'local-command-stdout',
  'local-command-stderr',
  'local-command-caveat',
  'command-name',
  'command-message',
  'command-args',
  'command-contents',
  'task-notification',
  ...['bash-stdout', 'bash-stderr', 'user-prompt-submit-hook'],
  ...['ide_opened_file', 'ide_selection', 'ide_diagnostics'],
];
/** What other agents write to the agent of the session. In the log of a subagent it is its task. */
const OF_AGENTS = ['teammate-message', 'agent-message', 'cross-session-message'];
/** The program writes its errors as answers of this model. */
const PROGRAM = '<synthetic>';
const INTERRUPTED = /^\[Request interrupted by user[^\]]*\]$/;

/**
 * Adds the nodes in the order of the path. Lines with the same API message id are one answer and become one
 * message.
 */
export function addCodeNodes(
  turns: TurnBuilder,
  nodes: readonly CodeNode[],
  results: ReadonlyMap<string, ToolResult>,
): void {
  for (let at = 0; at < nodes.length; at += 1) {
    const node = nodes[at];
    if (node === undefined || !node.isSpoken) continue;
    if (node.type === 'user') {
      addUser(turns, node);
      continue;
    }
    const lines = [node];
    for (let next = nodes[at + 1]; next !== undefined && isSameAnswer(node, next); ) {
      lines.push(next);
      at += 1;
      next = nodes[at + 1];
    }
    addAnswer(turns, lines, results);
  }
}

const isSameAnswer = (first: CodeNode, next: CodeNode) =>
  next.type === 'assistant' &&
  textIn(first.message['id']) !== undefined &&
  first.message['id'] === next.message['id'];

function addUser(turns: TurnBuilder, node: CodeNode): void {
  const { id, createdAt, message, isInjected, isSidechain } = node;
  const { content } = message;
  const text = typeof content === 'string' ? content : blocksText(objectsIn(content));
  if (text.trim() === '') return;
  const own = isSidechain ? text : withoutElements(text, OF_AGENTS);
  const typed = isInjected ? '' : typedText(own);
  if (typed === '' || INTERRUPTED.test(typed)) turns.countLeftOut('injected context');
  else turns.addMessage({ id, createdAt, role: 'user', content: typed });
}

function blocksText(blocks: readonly JsonObject[]): string {
  const texts = blocks.map(
    (block) => textIn(block['text']) ?? (block['type'] === 'document' ? fileLine(block) : ''),
  );
  return paragraphs(texts);
}

/** The text without what the program added; a slash command, and one for the shell, as it was typed. */
function typedText(text: string): string {
  const command = extractElements(text, 'command-name').inside[0]?.trim();
  const shell = extractElements(text, 'bash-input');
  const rest = [
    ...shell.inside.map((line) => `! ${line.trim()}`),
    withoutElements(shell.rest, INJECTED).trim(),
  ]
    .filter((part) => part !== '')
    .join('\n');
  if (command === undefined) return rest;
  const given = extractElements(text, 'command-args').inside[0]?.trim() ?? '';
  return [command.startsWith('/') ? command : `/${command}`, given, rest]
    .filter((part) => part !== '')
    .join(' ');
}

function addAnswer(
  turns: TurnBuilder,
  lines: readonly CodeNode[],
  results: ReadonlyMap<string, ToolResult>,
): void {
  const [first] = lines;
  const last = lines.at(-1);
  if (first === undefined || last === undefined) return;
  if (first.message['model'] === PROGRAM) {
    turns.countLeftOut('messages of the program');
    return;
  }
  const texts: string[] = [];
  let spoken: CodeNode | undefined;
  for (const line of lines) {
    for (const block of blocksOf(line.message['content'])) {
      const isActivity = ACTIVITY.test(textIn(block['type']) ?? '');
      const text = isActivity ? undefined : textIn(block['text']);
      if (isActivity) addActivity(turns, block, line, results);
      else if (text !== undefined) texts.push(text);
      else if (!('text' in block)) turns.countLeftOut('parts of an unknown type');
      if (text !== undefined) spoken ??= line;
    }
  }
  const { id, createdAt } = spoken ?? first;
  const content = withoutElements(texts.join('\n\n'), ['system-reminder']).trim();
  turns.addMessage({
    id,
    createdAt,
    role: 'assistant',
    content,
    metadata: metadataOf(last.message),
  });
}

const blocksOf = (content: unknown): readonly JsonObject[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : objectsIn(content);

/** The types of blocks that are no text for the user. */
const ACTIVITY = /thinking$|tool_use$|tool_result$/;

function addActivity(
  turns: TurnBuilder,
  block: JsonObject,
  { id, createdAt }: CodeNode,
  results: ReadonlyMap<string, ToolResult>,
): void {
  if (block['type'] === 'thinking') turns.addThinking(textIn(block['thinking']), { id, createdAt });
  if (!textIn(block['type'])?.endsWith('tool_use')) return;
  const callId = textIn(block['id']);
  const result = callId === undefined ? undefined : results.get(callId);
  const name = textIn(block['name']) ?? 'tool';
  const call = { name, input: block['input'], result: result?.text, isError: result?.isError };
  turns.addToolCall(call, { id, createdAt });
}

function metadataOf(message: JsonObject): JsonObject | undefined {
  const usage = objectIn(message['usage']);
  const counted = defined({
    inputTokens: numberIn(usage['input_tokens']),
    outputTokens: numberIn(usage['output_tokens']),
    cacheReadTokens: numberIn(usage['cache_read_input_tokens']),
    cacheWriteTokens: numberIn(usage['cache_creation_input_tokens']),
  });
  return definedOrNothing({
    model: textIn(message['model']),
    usage: Object.keys(counted).length === 0 ? undefined : counted,
  });
}
