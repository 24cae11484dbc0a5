/**
 * Cursor's command line: its transcripts, `projects/<folder>/agent-transcripts/<id>/<id>.jsonl`, a line a
 * message, without times, where only the folder's name shows the project; and the chats that have
 * no transcript (cursor-chats.ts).
 */
import { posix } from 'node:path';
import type { Input, InputFile } from '../../files/input/input-types.js';
import type { JsonObject } from '../../stores/conversations/document/schema.js';
import { firstLine, objectLines } from '../reading/documents.js';
import { isObject, objectIn, objectsIn, textIn } from '../reading/fields.js';
import { anyTimeIn, contentText } from '../reading/openai-messages.js';
import { roleIn } from '../reading/roles.js';
import { Turns } from '../reading/turns.js';
import type { ImportItem, ImportProblem, ReadOptions, Source } from '../source.js';
import { resultText } from './claude-message.js';
import { cursorChats } from './cursor-chats.js';
import { typedIn } from './cursor-text.js';

const TRANSCRIPT = /(^|\/)agent-transcripts\/.+\.jsonl$/;
const PROJECT = /(?:^|\/)([^/]+)\/agent-transcripts\//;

export const cursorCli: Source = {
  kind: 'cursor-cli',
  title: 'conversations of Cursor (command line)',
  async detect(input) {
    for (const file of filesOf(input).slice(0, 3)) {
      const line = await firstLine(file);
      if (line !== undefined && 'role' in line && isObject(line['message'])) return true;
    }
    return cursorChats.detect(input);
  },
  async *read(input, options) {
    const isChat = input.form === 'file' && (await cursorChats.detect(input));
    const transcripts = isChat ? [] : filesOf(input);
    for (const file of transcripts) {
      options.signal?.throwIfAborted();
      if (!(options.isKnown?.(file) ?? false)) yield* transcriptOf(file, options);
    }
    const ids = new Set(transcripts.map(idOf));
    for await (const item of cursorChats.read(input, options)) {
      if (item.type !== 'conversation' || !ids.has(item.id)) yield item;
    }
  },
};

function filesOf({ form, files }: Input): InputFile[] {
  return form === 'file' ? [...files] : files.filter(({ name }) => TRANSCRIPT.test(name));
}

const idOf = ({ name }: InputFile) => posix.basename(name, '.jsonl');

async function* transcriptOf(
  file: InputFile,
  { activity }: ReadOptions,
): AsyncGenerator<ImportItem> {
  const problems: ImportProblem[] = [];
  const turns = new Turns(activity);
  for await (const { value } of objectLines(file, (problem) => problems.push(problem))) {
    addLine(turns, value);
  }
  yield* problems;
  const project = PROJECT.exec(file.name)?.[1];
  yield {
    type: 'conversation',
    ...{ path: file.name, id: idOf(file), fileTimeMs: file.modifiedAtMs },
    ...(project !== undefined && { module: project, project }),
    messages: turns.messages(),
    leftOut: turns.leftOut,
  };
}

function addLine(turns: Turns, line: JsonObject): void {
  const role = roleIn(line['role']);
  const blocks = objectIn(line['message'])['content'];
  for (const block of objectsIn(blocks)) {
    const name = textIn(block['name']) ?? 'tool';
    if (block['type'] === 'thinking')
      turns.think(textIn(block['thinking']) ?? textIn(block['text']));
    if (block['type'] === 'tool_use')
      turns.call({ name, input: block['input'] }, {}, textIn(block['id']));
    if (block['type'] === 'tool_result') {
      turns.result({ text: resultText(block['content']) }, textIn(block['tool_use_id']));
    }
  }
  const spoken = Array.isArray(blocks)
    ? blocks.filter((block) => typeof block === 'string' || objectIn(block)['type'] === 'text')
    : blocks;
  const text = contentText(spoken);
  if (role === undefined) turns.leaveOut('of no known role');
  else
    turns.say({
      role,
      content: role === 'user' ? typedIn(turns, text) : text,
      createdAt: anyTimeIn(line),
    });
}
