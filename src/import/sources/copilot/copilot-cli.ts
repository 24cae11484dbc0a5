/**
 * Sessions of GitHub Copilot's command line: `session-state/<session>/events.jsonl`, one event in each line. No
 * description of the form is published; the fields are those of logs of 2026.
 */
import { basename, dirname } from 'node:path';
import {
  definedOrNothing,
  numberIn,
  objectIn,
  objectsIn,
  textIn,
} from '../../../base/json-fields.js';
import type { InputFile } from '../../../files/input/input-types.js';
import type { JsonObject } from '../../../stores/conversations/document/schema.js';
import {
  filesNamed,
  filesToDetect,
  firstLine,
  objectLines,
} from '../../reading/documents/documents.js';
import { TurnBuilder } from '../../reading/messages/turns.js';
import { attachmentLine } from '../../reading/text/attachment-lines.js';
import { moduleOfFolder } from '../../reading/text/module-of-folder.js';
import { paragraphs } from '../../reading/text/paragraphs.js';
import { timeIn } from '../../reading/text/times.js';
import type { ImportItem, ImportProblem, ReadOptions, Source } from '../../source-interface.js';

const EVENTS = /(^|\/)events\.jsonl$/;

export const copilotCli: Source = {
  kind: 'copilot-cli',
  title: 'sessions of GitHub Copilot (command line)',
  async detect(input) {
    for (const file of filesToDetect(filesNamed(EVENTS, input))) {
      if ((await firstLine(file))?.['type'] === 'session.start') return true;
    }
    return false;
  },
  async *read(input, options) {
    for (const file of filesNamed(EVENTS, input)) {
      options.signal?.throwIfAborted();
      if (!options.isKnown?.(file)) yield* sessionOf(file, options);
    }
  },
};

async function* sessionOf(file: InputFile, { activity }: ReadOptions): AsyncGenerator<ImportItem> {
  const problems: ImportProblem[] = [];
  const turns = new TurnBuilder(activity);
  let start: JsonObject = {};
  let title: string | undefined;
  for await (const { value } of objectLines(file, (problem) => problems.push(problem))) {
    const data = objectIn(value['data']);
    if (value['type'] === 'session.start') start = data;
    else if (value['type'] === 'session.title_changed') title = textIn(data['title']) ?? title;
    else if (isOfSubagent(value, data)) countSubagent(turns, value);
    else addEvent(turns, value, data);
  }
  yield* problems;
  const messages = turns.messages();
  if (messages.length === 0) return; // started, but nothing was asked
  const context = objectIn(start['context']);
  const cwd = textIn(context['cwd']);
  yield {
    type: 'conversation',
    path: file.name,
    id: textIn(start['sessionId']) ?? basename(dirname(file.diskPath ?? file.name)),
    fileTimeMs: file.modifiedAtMs,
    title,
    ...moduleOfFolder(cwd),
    createdAt: timeIn(start['startTime']),
    metadata: definedOrNothing({
      cwd,
      gitBranch: textIn(context['branch']),
      gitRemote: textIn(context['repository']),
    }),
    messages,
    leftOut: turns.leftOut,
  };
}

const isOfSubagent = (event: JsonObject, data: JsonObject): boolean =>
  event['agentId'] !== undefined || data['parentToolCallId'] !== undefined;

function countSubagent(turns: TurnBuilder, { type }: JsonObject): void {
  if (type === 'assistant.message') turns.countLeftOut('messages of subagents');
}

function addEvent(turns: TurnBuilder, { type, id, timestamp }: JsonObject, data: JsonObject): void {
  const origin = { id: textIn(id), createdAt: timeIn(timestamp) };
  const content = textIn(data['content']) ?? '';
  switch (type) {
    case 'user.message':
      if (!isTyped(data)) turns.countLeftOut('injected context');
      else turns.addMessage({ ...origin, role: 'user', content: withFiles(content, data) });
      break;
    case 'assistant.message': {
      turns.addThinking(textIn(data['reasoningText']), origin);
      const usage = definedOrNothing({ outputTokens: numberIn(data['outputTokens']) });
      const metadata = definedOrNothing({ model: textIn(data['model']), usage });
      turns.addMessage({ ...origin, role: 'assistant', content, metadata });
      for (const request of objectsIn(data['toolRequests'])) {
        const call = { name: textIn(request['name']) ?? 'tool', input: request['arguments'] };
        turns.addToolCall(call, origin, textIn(request['toolCallId']));
      }
      break;
    }
    case 'tool.execution_complete': {
      const { content: text, detailedContent } = objectIn(data['result']);
      const error = textIn(objectIn(data['error'])['message']);
      const result = textIn(text) ?? textIn(detailedContent) ?? error ?? '';
      const isError = data['success'] === false;
      turns.addToolResult({ text: result, isError }, textIn(data['toolCallId']));
      break;
    }
    case 'session.compaction_complete':
      turns.countLeftOut('compactions');
      break;
    default: // the state of the program
  }
}

/** A prompt of the program has another source, such as `skill-pdf`, or continues by itself. */
const isTyped = ({ source, isAutopilotContinuation }: JsonObject): boolean =>
  (textIn(source) ?? 'user') === 'user' && isAutopilotContinuation !== true;

const withFiles = (content: string, { attachments }: JsonObject): string =>
  paragraphs([
    content,
    ...objectsIn(attachments).map((file) => {
      const name = textIn(file['displayName']) ?? textIn(file['path']);
      return name && attachmentLine('file', name);
    }),
  ]);
