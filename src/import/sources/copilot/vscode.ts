/**
 * Chats of VS Code (GitHub Copilot and others): `workspaceStorage/<id>/chatSessions/<session>.jsonl`, those of
 * windows without a folder in `globalStorage/emptyWindowChatSessions/`, and files of its command *Chat: Export
 * Chat*. The fields are those of `chatModel.ts` of microsoft/vscode.
 */
import { posix } from 'node:path';
import {
  definedOrNothing,
  isRecord,
  numberIn,
  objectIn,
  objectsIn,
  textIn,
} from '../../../base/json-fields.js';
import type { Input, InputFile } from '../../../files/input/input-types.js';
import type { JsonObject } from '../../../stores/conversations/document/schema.js';
import {
  filesToDetect,
  firstElement,
  unreadableConversation,
} from '../../reading/documents/documents.js';
import { TurnBuilder } from '../../reading/messages/turns.js';
import { attachmentLine } from '../../reading/text/attachment-lines.js';
import { moduleOfFolder } from '../../reading/text/module-of-folder.js';
import { paragraphs } from '../../reading/text/paragraphs.js';
import { timeIn } from '../../reading/text/times.js';
import type { ImportItem, ImportProblem, ReadOptions, Source } from '../../source-interface.js';
import { addResponse } from './vscode-response.js';
import { isSession, sessionIn } from './vscode-session.js';

const FOLDERS = 'chatSessions|emptyWindowChatSessions|transferredChatSessions';
/** In one of these folders, or directly in the folder that is imported. */
const SESSION = new RegExp(`((^|/)(${FOLDERS})/[^/]+|^[0-9a-f]{8}(-[0-9a-f]{4,12}){4})\\.jsonl?$`);

export const vscode: Source = {
  kind: 'vscode',
  title: 'chats of VS Code',
  async detect(input) {
    for (const file of filesToDetect(filesOf(input))) if (await isSession(file)) return true;
    return false;
  },
  async *read(input, options) {
    for (const file of filesOf(input)) {
      options.signal?.throwIfAborted();
      if (!options.isKnown?.(file)) yield* chatOf(file, input, options);
    }
  },
};

/** If a window got another folder, or a file another form, VS Code leaves the older copy of a session there. */
function filesOf({ form, files }: Input): readonly InputFile[] {
  if (form === 'file') return files;
  const newest = new Map<string, InputFile>();
  for (const file of files.filter(({ name }) => SESSION.test(name))) {
    const id = posix.parse(file.name).name;
    const other = newest.get(id);
    if (other === undefined || other.modifiedAtMs <= file.modifiedAtMs) newest.set(id, file);
  }
  return [...newest.values()];
}

async function* chatOf(
  file: InputFile,
  input: Input,
  { activity }: ReadOptions,
): AsyncGenerator<ImportItem> {
  const problems: ImportProblem[] = [];
  const session = await sessionIn(file, activity, (problem) => problems.push(problem));
  yield* problems;
  if (session === undefined) {
    yield unreadableConversation(file.name, 'the session');
    return;
  }
  const turns = new TurnBuilder(activity);
  const requests = objectsIn(session['requests']);
  for (const request of requests) addRequest(turns, request);
  const messages = turns.messages();
  if (messages.length === 0) return; // VS Code writes a session before the first prompt
  const cwd = await folderOf(file, input);
  const repository = objectIn(session['repoData']);
  yield {
    type: 'conversation',
    path: file.name,
    // An exported chat has no id.
    id:
      textIn(session['sessionId']) ??
      textIn(requests[0]?.['requestId']) ??
      posix.parse(file.name).name,
    fileTimeMs: file.modifiedAtMs,
    title: textIn(session['customTitle']) ?? textIn(session['computedTitle']),
    ...moduleOfFolder(cwd),
    createdAt: timeIn(session['creationDate']),
    metadata: definedOrNothing({
      cwd,
      gitBranch: textIn(repository['localBranch']),
      gitRemote: textIn(repository['remoteUrl']),
    }),
    messages,
    leftOut: turns.leftOut,
  };
}

function addRequest(turns: TurnBuilder, request: JsonObject): void {
  if (isTakenBack(request)) {
    turns.countLeftOut('messages that the user took back');
    return;
  }
  const createdAt = timeIn(request['timestamp']);
  const { message } = request;
  const typed = textIn(message) ?? textIn(objectIn(message)['text']) ?? '';
  const content = paragraphs([typed, ...attachmentsOf(request)]);
  // VS Code asks by itself, for example when a command in the background has ended.
  if (request['isSystemInitiated'] === true) turns.countLeftOut('injected context');
  else turns.addMessage({ id: textIn(request['requestId']), createdAt, role: 'user', content });
  const completedAt = timeIn(objectIn(request['modelState'])['completedAt']);
  const origin = { id: textIn(request['responseId']), createdAt: completedAt ?? createdAt };
  const text = addResponse(turns, request['response'], origin);
  if (text === '' && 'errorDetails' in objectIn(request['result'])) {
    turns.countLeftOut('messages of the program');
  }
  turns.addMessage({
    ...origin,
    role: 'assistant',
    content: text,
    metadata: definedOrNothing({ model: textIn(request['modelId']), usage: usageOf(request) }),
  });
  turns.endTurn();
}

/** If only changes of files were taken back, the message stays. */
function isTakenBack({ shouldBeRemovedOnSend, isHidden }: JsonObject): boolean {
  if (isRecord(shouldBeRemovedOnSend)) return shouldBeRemovedOnSend['afterUndoStop'] === undefined;
  return isHidden === true;
}

/** Files and images that the user added. Those with a range are named in the text. */
function attachmentsOf(request: JsonObject): string[] {
  return objectsIn(objectIn(request['variableData'])['variables']).flatMap((variable) => {
    const { kind, range } = variable;
    const name = textIn(variable['name']);
    const isFile = kind === 'file' || kind === 'image' || kind === 'directory';
    if (!isFile || range !== undefined || name === undefined) return [];
    return [attachmentLine(kind === 'image' ? 'image' : 'file', name)];
  });
}

function usageOf(request: JsonObject): JsonObject | undefined {
  const usage = isRecord(request['usage']) ? request['usage'] : request;
  return definedOrNothing({
    inputTokens: numberIn(usage['promptTokens']),
    outputTokens: numberIn(usage['completionTokens']),
  });
}

/**
 * The folder of the window, from the file `workspace.json` beside the folder of the sessions; `undefined` for a
 * window with several folders.
 */
async function folderOf({ name }: InputFile, { files }: Input): Promise<string | undefined> {
  const path = posix.join(posix.dirname(posix.dirname(name)), 'workspace.json');
  const file = files.find((each) => each.name === path);
  if (file === undefined) return undefined;
  return pathOfUri(textIn(objectIn(await firstElement(file))['folder']));
}

/** `/home/ada/shed` of `file:///home/ada/shed`, `c:/shed` of `file:///c%3A/shed`; other schemes in the same way. */
function pathOfUri(uri: string | undefined): string | undefined {
  if (uri === undefined || !URL.canParse(uri)) return undefined;
  const { pathname } = new URL(uri);
  try {
    return decodeURIComponent(pathname).replace(/^\/(?=[a-z]:)/i, '');
  } catch {
    return pathname; // decodeURIComponent throws only if it is not encoded UTF-8
  }
}
