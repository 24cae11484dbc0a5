/** Converts the parts of a response in a chat of VS Code: text, thinking, calls of tools and changes of files. */
import { posix } from 'node:path';
import {
  isRecord,
  isString,
  listIn,
  objectIn,
  objectsIn,
  textIn,
} from '../../../base/json-fields.js';
import type { JsonObject } from '../../../stores/conversations/document/schema.js';
import type { ToolCall } from '../../reading/messages/activity.js';
import type { Origin, TurnBuilder } from '../../reading/messages/turns.js';

/** Parts that show the state of the editor, or have buttons. Nobody said them. */
const OF_THE_EDITOR = new Set([
  ...['clearToPreviousToolInvocation', 'codeblockUri', 'command', 'confirmation', 'treeData'],
  ...['disabledClaudeHooks', 'elicitationSerialized', 'extensions', 'hook', 'mcpServersStarting'],
  ...['multiDiffData', 'progressMessage', 'progressTaskSerialized', 'pullRequest', 'undoStop'],
  ...['questionCarousel', 'warning'],
]);
const EDITS = ['textEditGroup', 'notebookEditGroup', 'workspaceEdit'];

/**
 * Adds thinking and calls to the turn, for the message `origin`. Returns its text, with an empty line where a
 * call was.
 */
export function addResponse(turns: TurnBuilder, response: unknown, origin: Origin): string {
  const texts = [''];
  const append = (text: string) => {
    texts.push(`${texts.pop() ?? ''}${text}`);
  };
  for (const part of listIn(response)) {
    const fields = objectIn(part);
    const kind = textIn(fields['kind']);
    if (kind === undefined || kind.startsWith('markdown')) append(markdownOf(part));
    else if (kind === 'inlineReference') append(referenceOf(fields));
    else if (kind === 'thinking') {
      turns.addThinking([fields['value']].flat().filter(isString).join(''), origin);
    } else if (kind === 'toolInvocationSerialized') {
      turns.addToolCall(callOf(fields), origin);
      texts.push('');
    } else if (EDITS.includes(kind)) {
      turns.addToolCall(editOf(fields), origin);
      if (!/(^|\n)$/.test(texts.at(-1) ?? '')) append('\n\n');
    } else if (!OF_THE_EDITOR.has(kind)) turns.countLeftOut('parts of an unknown type');
  }
  const trimmed = texts.map((text) => text.replace(EMPTY_BLOCK, '').trim());
  return trimmed.filter((text) => text !== '').join('\n\n');
}

/** The changes of a file were between the lines of this block. */
const EMPTY_BLOCK = /^`{3,}[^\n`]*\n\s*`{3,}$/gm;

/** The text itself, or an object with the text in `value` or in `content`. */
function markdownOf(part: unknown): string {
  if (typeof part === 'string') return part;
  if (!isRecord(part)) return '';
  return textIn(part['value']) ?? markdownOf(part['content'] ?? part['value']);
}

/** A symbol or a file that the answer names. */
function referenceOf(part: JsonObject): string {
  const reference = objectIn(part['inlineReference']);
  const name = textIn(part['name']) ?? textIn(reference['name']);
  const path = pathOf(reference) ?? pathOf(reference['uri']) ?? pathOf(reference['location']);
  const text = name ?? (path && posix.basename(path));
  return text === undefined ? '' : `\`${text}\``;
}

/** A URI is an object with its parts, or a text. */
const pathOf = (uri: unknown): string | undefined =>
  textIn(uri) ?? textIn(objectIn(uri)['path']) ?? textIn(objectIn(objectIn(uri)['uri'])['path']);

function editOf(part: JsonObject): ToolCall {
  const paths = objectsIn(part['edits']).map(({ newResource }) => pathOf(newResource));
  const input = pathOf(part['uri']) ?? paths.find((path) => path !== undefined);
  return { name: 'edit', input };
}

/** The result of a tool: a text, or a list of texts. */
export const outputOf = ({ output }: JsonObject): string =>
  [output]
    .flat()
    .map((each) => textIn(each) ?? textIn(objectIn(each)['value']))
    .filter(isString)
    .join('\n');

function callOf(part: JsonObject): ToolCall {
  const specific = objectIn(part['toolSpecificData']);
  const details = objectIn(part['resultDetails']);
  const command = specific['commandLine'];
  const input =
    details['input'] ??
    specific['rawInput'] ??
    textIn(objectIn(command)['original']) ??
    textIn(command) ??
    specific['prompt'] ??
    markdownOf(part['invocationMessage']);
  const result =
    outputOf(details) ||
    textIn(objectIn(specific['terminalCommandOutput'])['text']) ||
    textIn(specific['result']) ||
    markdownOf(part['pastTenseMessage']);
  const name = textIn(part['toolId']) ?? 'tool';
  return { name, input, result, isError: details['isError'] === true };
}
