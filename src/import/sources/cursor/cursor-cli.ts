/**
 * Cursor's command line. Its transcripts are `projects/<folder>/agent-transcripts/<id>/<id>.jsonl`, one
 * message a line, without times; only the name of the folder shows the project. Subagents have transcripts
 * in `<id>/subagents/`. Older transcripts are plain text (cursor-cli-plain-text.ts). Chats without a transcript
 * are in a database (cursor-cli-chats.ts).
 */
import { posix } from 'node:path';
import {
  definedOrNothing,
  isRecord,
  objectIn,
  objectsIn,
  textIn,
} from '../../../base/json-fields.js';
import type { Input, InputFile } from '../../../files/input/input-types.js';
import type { JsonObject } from '../../../stores/conversations/document/schema.js';
import {
  filesToDetect,
  firstLine,
  objectLines,
  textOf,
  unreadableConversation,
} from '../../reading/documents/documents.js';
import { anyTimeIn, contentText } from '../../reading/messages/openai-messages.js';
import { TurnBuilder } from '../../reading/messages/turns.js';
import { roleIn } from '../../reading/text/roles.js';
import {
  type ImportItem,
  type ImportProblem,
  type ReadOptions,
  type Source,
  SUBAGENT_TAG,
} from '../../source-interface.js';
import { resultText } from '../claude/claude-message.js';
import { cursorChats } from './cursor-cli-chats.js';
import { addPlainTranscript, isPlainTranscript } from './cursor-cli-plain-text.js';
import { typedText } from './cursor-cli-text.js';

const TRANSCRIPT = /(^|\/)agent-transcripts\/.+\.(jsonl|txt)$/;
const PROJECT = /(?:^|\/)([^/]+)\/agent-transcripts\//;
/** The transcript of a subagent is in a subfolder of its session. */
const SUBAGENT = /(?:^|\/)([^/]+)\/subagents\/[^/]+$/;
const SPOKEN = /^(text|image|file)/;

export const cursorCli: Source = {
  kind: 'cursor-cli',
  title: 'conversations of Cursor (command line)',
  async detect(input) {
    for (const file of filesToDetect(filesOf(input))) {
      if (isPlain(file)) {
        if (isPlainTranscript((await textOf(file)) ?? '')) return true;
        continue;
      }
      const line = await firstLine(file);
      if (line !== undefined && 'role' in line && isRecord(line['message'])) return true;
    }
    return cursorChats.detect(input);
  },
  async *read(input, options) {
    const isChat = input.form === 'file' && (await cursorChats.detect(input));
    const transcripts = isChat ? [] : filesOf(input);
    for (const file of transcripts) {
      options.signal?.throwIfAborted();
      if (!options.isKnown?.(file)) yield* transcriptOf(file, options);
    }
    const ids = new Set(transcripts.map(idOf));
    for await (const item of cursorChats.read(input, options)) {
      if (item.type !== 'conversation' || !ids.has(item.id)) yield item;
    }
  },
};

/** One file for each id: a session before a subagent, and then the newer format before the older one. */
function filesOf({ form, files }: Input): InputFile[] {
  if (form === 'file')
    return files.filter((file) => !isPlain(file) || TRANSCRIPT.test(pathOf(file)));
  const chosen = new Map<string, InputFile>();
  const transcripts = files.filter(({ name }) => TRANSCRIPT.test(name));
  for (const file of transcripts.sort((a, b) => rankOf(a) - rankOf(b))) {
    if (!chosen.has(idOf(file))) chosen.set(idOf(file), file);
  }
  return [...chosen.values()];
}

const rankOf = (file: InputFile) => (SUBAGENT.test(file.name) ? 2 : 0) + (isPlain(file) ? 1 : 0);

const isPlain = ({ name }: InputFile) => name.endsWith('.txt');

/** The path with its folders, even if the file was given alone. */
const pathOf = ({ name, diskPath = name }: InputFile) => diskPath.replaceAll('\\', '/');

const idOf = ({ name }: InputFile) => posix.basename(name).replace(/\.(jsonl|txt)$/, '');

async function* transcriptOf(
  file: InputFile,
  { activity }: ReadOptions,
): AsyncGenerator<ImportItem> {
  const turns = new TurnBuilder(activity);
  if (isPlain(file)) {
    const text = await textOf(file);
    const isKnown = text !== undefined && (text.trim() === '' || addPlainTranscript(turns, text));
    if (!isKnown) {
      yield unreadableConversation(file.name, 'the document');
      return;
    }
  } else {
    const problems: ImportProblem[] = [];
    for await (const { value } of objectLines(file, (problem) => problems.push(problem))) {
      addLine(turns, value);
    }
    yield* problems;
  }
  const path = pathOf(file);
  const project = PROJECT.exec(path)?.[1];
  const parent = SUBAGENT.exec(path)?.[1];
  yield {
    type: 'conversation',
    path: file.name,
    id: idOf(file),
    fileTimeMs: file.modifiedAtMs,
    ...(project !== undefined && { module: project, project }),
    ...(parent !== undefined && { tags: [SUBAGENT_TAG] }),
    metadata: definedOrNothing({ parent }),
    messages: turns.messages(),
    leftOut: turns.leftOut,
  };
}

function addLine(turns: TurnBuilder, line: JsonObject): void {
  const role = roleIn(line['role']);
  const blocks = objectIn(line['message'])['content'];
  for (const block of objectsIn(blocks)) {
    const name = textIn(block['name']) ?? 'tool';
    if (block['type'] === 'thinking')
      turns.addThinking(textIn(block['thinking']) ?? textIn(block['text']));
    if (block['type'] === 'tool_use')
      turns.addToolCall({ name, input: block['input'] }, {}, textIn(block['id']));
    if (block['type'] === 'tool_result') {
      turns.addToolResult({ text: resultText(block['content']) }, textIn(block['tool_use_id']));
    }
  }
  const spoken = Array.isArray(blocks)
    ? blocks.filter(
        (block) => typeof block === 'string' || SPOKEN.test(textIn(objectIn(block)['type']) ?? ''),
      )
    : blocks;
  const text = contentText(spoken);
  if (role === undefined) turns.countLeftOut('of an unknown role');
  else
    turns.addMessage({
      role,
      content: role === 'user' ? typedText(turns, text) : text,
      createdAt: anyTimeIn(line),
    });
}
