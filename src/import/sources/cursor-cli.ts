/**
 * Cursor's command line: its transcripts, `projects/<folder>/agent-transcripts/<id>/<id>.jsonl`, a line a
 * message, without times, where only the folder's name shows the project; older ones as plain text
 * (cursor-plain-text.ts); those of subagents in `<id>/subagents/`; and the chats that have no transcript
 * (cursor-chats.ts).
 */
import { posix } from 'node:path';
import type { Input, InputFile } from '../../files/input/input-types.js';
import type { JsonObject } from '../../stores/conversations/document/schema.js';
import { firstLine, objectLines, textOf, unreadableConversation } from '../reading/documents.js';
import { definedOrNothing, isObject, objectIn, objectsIn, textIn } from '../reading/fields.js';
import { anyTimeIn, contentText } from '../reading/openai-messages.js';
import { roleIn } from '../reading/roles.js';
import { Turns } from '../reading/turns.js';
import type { ImportItem, ImportProblem, ReadOptions, Source } from '../source.js';
import { resultText } from './claude-message.js';
import { cursorChats } from './cursor-chats.js';
import { addPlainTranscript, isPlainTranscript } from './cursor-plain-text.js';
import { typedIn } from './cursor-text.js';

const TRANSCRIPT = /(^|\/)agent-transcripts\/.+\.(jsonl|txt)$/;
const PROJECT = /(?:^|\/)([^/]+)\/agent-transcripts\//;
/** The transcript of a subagent lies below that of its session. */
const SUBAGENT = /(?:^|\/)([^/]+)\/subagents\/[^/]+$/;
/** Some of the first files may be empty. */
const MOST_FILES_TRIED = 20;

export const cursorCli: Source = {
  kind: 'cursor-cli',
  title: 'conversations of Cursor (command line)',
  async detect(input) {
    const written = filesOf(input).filter(({ sizeBytes }) => sizeBytes > 0);
    for (const file of written.slice(0, MOST_FILES_TRIED)) {
      if (isPlain(file)) {
        if (isPlainTranscript((await textOf(file)) ?? '')) return true;
        continue;
      }
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

/** One of each id: of several, that of a session of its own, then the newer form. */
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

/** With the folders that it lies in, also where it was named by itself. */
const pathOf = ({ name, diskPath = name }: InputFile) => diskPath.replaceAll('\\', '/');

const idOf = ({ name }: InputFile) => posix.basename(name).replace(/\.(jsonl|txt)$/, '');

async function* transcriptOf(
  file: InputFile,
  { activity }: ReadOptions,
): AsyncGenerator<ImportItem> {
  const turns = new Turns(activity);
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
    ...{ path: file.name, id: idOf(file), fileTimeMs: file.modifiedAtMs },
    ...(project !== undefined && { module: project, project }),
    ...(parent !== undefined && { tags: ['subagent'] }),
    metadata: definedOrNothing({ parent }),
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
