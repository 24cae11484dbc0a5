/**
 * Sessions of Gemini CLI: `tmp/<project>/chats/session-*.jsonl`, a header line, then messages and changes
 * (`$set`, `$rewindTo`). Older sessions are one JSON document. Subagents are in a folder named after their
 * parent. Prompts of deleted sessions are read from `logs.json`.
 */

import { posix } from 'node:path';
import { parsedJson } from '../../../base/json.js';
import {
  definedOrNothing,
  isRecord,
  listIn,
  objectIn,
  objectsIn,
  textIn,
} from '../../../base/json-fields.js';
import type { Input, InputFile } from '../../../files/input/input-types.js';
import type { JsonObject } from '../../../stores/conversations/document/schema.js';
import {
  filesToDetect,
  firstElement,
  firstLine,
  objectLines,
  textOf,
  unreadableConversation,
} from '../../reading/documents/documents.js';
import { contentText } from '../../reading/messages/openai-messages.js';
import { timesOf, treeConversations } from '../../reading/messages/tree-conversations.js';
import { TurnBuilder } from '../../reading/messages/turns.js';
import { moduleOfFolder } from '../../reading/text/module-of-folder.js';
import { timeIn } from '../../reading/text/times.js';
import {
  type ImportItem,
  type ImportProblem,
  type ReadOptions,
  type Source,
  SUBAGENT_TAG,
} from '../../source-interface.js';
import { GeminiLog, type GeminiNode } from './gemini-cli-log.js';
import { hasPrompts, isPromptLog, lostPrompts } from './gemini-cli-prompts.js';

const SESSION = /(^|\/)session-[^/]+\.(jsonl|json)$/;
const SUBAGENT = /(^|\/)chats\/([^/]+)\/[^/]+\.jsonl$/;

export const geminiCli: Source = {
  kind: 'gemini-cli',
  title: 'Gemini CLI sessions',
  async detect(input) {
    for (const file of filesToDetect(input.files.filter(isPromptLog))) {
      if (await hasPrompts(file)) return true;
    }
    for (const file of filesToDetect(filesOf(input))) {
      const head = await headOf(file);
      const isHead = 'sessionId' in head && ('projectHash' in head || 'startTime' in head);
      if (isHead && !('uuid' in head)) return true;
    }
    return false;
  },
  async *read(input, options) {
    const folders = await projectFolders(input);
    const isKnown = (file: InputFile) => options.isKnown?.(file) ?? false;
    const logs = input.files.filter((file) => isPromptLog(file) && !isKnown(file));
    const sessions = new Set<string>();
    for (const file of filesOf(input)) {
      options.signal?.throwIfAborted();
      if (logs.some((log) => isOfProject(file, log))) sessions.add(idOf(await headOf(file), file));
      if (!isKnown(file)) yield* sessionOf(file, folders, options);
    }
    for (const file of logs) {
      if (await hasPrompts(file)) yield* lostPrompts(file, sessions, projectOf(file, folders));
    }
  },
};

const headOf = async (file: InputFile): Promise<JsonObject> =>
  (await firstLine(file)) ?? objectIn(await firstElement(file));

const idOf = (head: JsonObject, file: InputFile) =>
  textIn(head['sessionId']) ?? posix.parse(file.name).name;

/** Whether the session is in the folder of the project that has this log. */
const isOfProject = (session: InputFile, log: InputFile) =>
  session.name.startsWith(log.name.slice(0, log.name.lastIndexOf('/') + 1));

const projectOf = ({ name }: InputFile, folders: ReadonlyMap<string, string>) =>
  [...folders].find(([folder]) => name.startsWith(`${folder}/`))?.[1];

function filesOf({ form, files }: Input): InputFile[] {
  if (form === 'file') return files.filter((file) => !isPromptLog(file));
  const isOurs = (name: string) => SESSION.test(name) || SUBAGENT.test(name);
  return files.filter(({ name }) => isOurs(name) && !/\.tmp-\d+/.test(name));
}

/** By folder: the project path in its `.project_root`. */
async function projectFolders({ files }: Input): Promise<ReadonlyMap<string, string>> {
  const folders = new Map<string, string>();
  for (const file of files) {
    if (posix.basename(file.name) !== '.project_root') continue;
    const text = (await textOf(file))?.trim();
    if (text !== undefined && text !== '') folders.set(posix.dirname(file.name), text);
  }
  return folders;
}

async function* sessionOf(
  file: InputFile,
  folders: ReadonlyMap<string, string>,
  options: ReadOptions,
): AsyncGenerator<ImportItem> {
  const problems: ImportProblem[] = [];
  const isDocument = file.name.endsWith('.json');
  const state = await (isDocument ? documentState(file) : lineState(file, problems));
  yield* problems;
  if (state === undefined) {
    yield unreadableConversation(file.name, 'the document');
    return;
  }
  const read = (nodes: readonly GeminiNode[]) => {
    const turns = new TurnBuilder(options.activity);
    for (const { message } of nodes) addMessage(turns, message);
    return turns;
  };
  const project = projectOf(file, folders);
  const parent = SUBAGENT.exec(file.name)?.[2];
  const id = idOf(state.head, file);
  const { nodes, shownLeaf } = state.log;
  for (const branch of treeConversations(id, nodes, shownLeaf, read)) {
    yield {
      type: 'conversation',
      path: file.name,
      fileTimeMs: file.modifiedAtMs,
      title: textIn(state.head['summary']),
      ...moduleOfFolder(project),
      ...(parent !== undefined && { tags: [SUBAGENT_TAG] }),
      ...timesOf(branch),
      ...(branch.branchOf === undefined && { createdAt: timeIn(state.head['startTime']) }),
      metadata: definedOrNothing({ cwd: project, parent }),
      ...branch,
    };
  }
}

interface State {
  head: JsonObject;
  readonly log: GeminiLog;
}

async function documentState(file: InputFile): Promise<State | undefined> {
  const document = parsedJson(await textOf(file));
  if (!isRecord(document) || !Array.isArray(document['messages'])) return undefined;
  const log = new GeminiLog();
  for (const message of objectsIn(document['messages'])) log.put(message);
  return { head: document, log };
}

async function lineState(file: InputFile, problems: ImportProblem[]): Promise<State | undefined> {
  const state: State = { head: {}, log: new GeminiLog() };
  for await (const { value } of objectLines(file, (problem) => problems.push(problem))) {
    const rewind = textIn(value['$rewindTo']);
    if (rewind !== undefined) state.log.rewindTo(rewind);
    else if (typeof value['type'] === 'string' && 'content' in value) state.log.put(value);
    else {
      const set = value['$set'];
      const { messages, ...head } = isRecord(set) ? set : value;
      state.head = { ...state.head, ...head };
      if (Array.isArray(messages)) state.log.set(objectsIn(messages));
    }
  }
  return state;
}

/** Beginnings of texts that the program adds. */
const INJECTED = /^\s*<(session_context|state_snapshot|hook_context)\b/;
/** With `--prompt`, the program puts the context of hooks before the prompt. */
const HOOK_CONTEXT = /^\s*<hook_context>[\s\S]*?<\/hook_context>\s*/;

const withoutHooks = (text: string): string => text.replace(HOOK_CONTEXT, '');

function isInjected(text: string): boolean {
  const own = withoutHooks(text);
  return INJECTED.test(own) || (own === '' && text !== '');
}

function addMessage(turns: TurnBuilder, message: JsonObject): void {
  const { type } = message;
  const origin = { id: textIn(message['id']), createdAt: timeIn(message['timestamp']) };
  const given = message['content'];
  const parts: readonly unknown[] = Array.isArray(given) ? given : [given];
  const thoughts = objectsIn(parts).filter(({ thought }) => thought === true);
  const spoken = parts.filter((part) => !thoughts.includes(objectIn(part)));
  const typed = spoken.filter((part) => !isInjected(contentText([part])));
  const whole = contentText(typed);
  const content = withoutHooks(whole);
  // What the user typed; `content` also has the text of the files that it names.
  const shown = contentText(message['displayContent']);
  if (type === 'user') {
    const isTyped = content === whole && typed.length === spoken.length;
    if (!isTyped || (shown !== '' && shown !== content)) turns.countLeftOut('injected context');
    turns.addMessage({ ...origin, role: 'user', content: shown === '' ? content : shown });
  } else if (type === 'gemini') {
    for (const { text } of thoughts) turns.addThinking(textIn(text), origin);
    for (const thought of objectsIn(message['thoughts'])) {
      turns.addThinking(textIn(thought['description']) ?? textIn(thought['subject']), origin);
    }
    for (const call of objectsIn(message['toolCalls'])) turns.addToolCall(callOf(call), origin);
    const metadata = definedOrNothing({
      model: textIn(message['model']),
      usage: isRecord(message['tokens']) ? message['tokens'] : undefined,
    });
    turns.addMessage({ ...origin, role: 'assistant', content, metadata });
  } else turns.countLeftOut('messages of the program');
}

function callOf(call: JsonObject) {
  const shown = textIn(call['resultDisplay']);
  const parts = listIn(call['result']).map((part) => {
    const response = objectIn(objectIn(objectIn(part)['functionResponse'])['response']);
    return textIn(response['output']) ?? textIn(response['error']) ?? '';
  });
  const result = shown ?? parts.join('\n');
  const isError = call['status'] === 'error';
  return { name: textIn(call['name']) ?? 'tool', input: call['args'], result, isError };
}
