/**
 * Any JSON whose messages have `role` and `content`, or `from` and `value` (ShareGPT): one document
 * `{messages: […]}`, a list or JSON Lines of such documents, `{conversations: […]}`, a list of messages, or
 * folders of such files.
 */
import { posix } from 'node:path';
import { sha256Hex } from '../../base/ids.js';
import {
  definedOrNothing,
  isRecord,
  listIn,
  objectIn,
  objectsIn,
  textIn,
  textsIn,
} from '../../base/json-fields.js';
import type { InputFile } from '../../files/input/input-types.js';
import type { JsonObject } from '../../stores/conversations/document/schema.js';
import {
  elementsOf,
  filesNamed,
  hasElement,
  hasLine,
  objectLines,
  unreadableConversation,
} from '../reading/documents/documents.js';
import {
  addOpenAiMessage,
  anyTimeIn,
  hasMessages,
  hasNoMessages,
  isMessage,
  withMessages,
} from '../reading/messages/openai-messages.js';
import { TurnBuilder } from '../reading/messages/turns.js';
import { timeIn } from '../reading/text/times.js';
import type {
  ImportedConversation,
  ImportItem,
  ImportProblem,
  ReadOptions,
  Source,
} from '../source-interface.js';
import { isOwnExport } from './daybook.js';

const DOCUMENT = /\.(json|jsonl|ndjson)$/i;
const LINES = /\.(jsonl|ndjson)$/i;
/** Number of files of a folder that are read to detect the format. */
const MAX_PEEKS = 5;

export const openai: Source = {
  kind: 'openai',
  title: 'conversations with role and content (JSON, JSON Lines)',
  async detect(input) {
    for (const file of filesNamed(DOCUMENT, input).slice(0, MAX_PEEKS)) {
      if ((await hasConversations(file)) && !(await isOwnExport(file))) return true;
    }
    return false;
  },
  async *read(input, options) {
    for (const file of filesNamed(DOCUMENT, input)) {
      options.signal?.throwIfAborted();
      if (input.form !== 'file' && (await isOwnExport(file))) continue;
      yield* fileConversations(file, input.form === 'file', options);
    }
  },
};

async function hasConversations(file: InputFile): Promise<boolean> {
  if (await isJsonLines(file)) return true;
  return hasElement(file, (element) => {
    const inner = listIn(objectIn(element)['conversations']);
    return (
      [withMessages(element), ...inner].some(hasMessages) ||
      (isRecord(element) && isMessage(element))
    );
  });
}

/** Whether one of the first lines is a whole conversation; a `.json` file must also have further lines. */
async function isJsonLines(file: InputFile): Promise<boolean> {
  const isConversation = (line: JsonObject) => hasMessages(withMessages(line));
  return (
    (await hasLine(file, isConversation)) && (LINES.test(file.name) || (await hasMoreLines(file)))
  );
}

async function hasMoreLines(file: InputFile): Promise<boolean> {
  const problems: ImportProblem[] = [];
  let count = 0;
  for await (const { value } of objectLines(file, (problem) => problems.push(problem))) {
    if (hasMessages(withMessages(value))) count += 1;
    if (count === 2) return true;
  }
  return false;
}

async function* fileConversations(
  file: InputFile,
  isAlone: boolean,
  options: ReadOptions,
): AsyncGenerator<ImportItem> {
  if (await isJsonLines(file)) yield* lineConversations(file, options);
  else yield* documentConversations(file, isAlone, options);
}

async function* lineConversations(file: InputFile, options: ReadOptions) {
  const problems: ImportProblem[] = [];
  const lost = (problem: ImportProblem) => problems.push({ ...problem, isConversation: true });
  let index = 0;
  for await (const { value: line, record } of objectLines(file, lost, { isExport: true })) {
    yield* problems.splice(0);
    const value = withMessages(line);
    if (hasNoMessages(value)) yield emptyConversation(file, record);
    else if (!hasMessages(value)) yield unreadableConversation(file.name, record);
    else {
      yield conversationOf(value, { file, record, index, options });
      index += 1;
    }
  }
  yield* problems;
}

async function* documentConversations(
  file: InputFile,
  isAlone: boolean,
  options: ReadOptions,
): AsyncGenerator<ImportItem> {
  const loose: JsonObject[] = [];
  let index = 0;
  for await (const { value: element, record, path } of elementsOf(file)) {
    const value = withMessages(element);
    const inner = isRecord(value) && !hasMessages(value) ? value['conversations'] : undefined;
    const documents = Array.isArray(inner) ? inner : [value];
    for (const [at, document] of documents.entries()) {
      const location = Array.isArray(inner) ? `conversations[${at}]` : record;
      if (hasNoMessages(document)) yield emptyConversation(file, location);
      else if (hasMessages(document)) {
        yield conversationOf(document, { file, record: location, index, options });
        index += 1;
      } else if (isRecord(document) && isMessage(document)) loose.push(document);
      // In a folder, a document of another form belongs to another program.
      else if (isAlone || index > 0) yield unreadableConversation(path, location);
    }
  }
  if (loose.length > 0) {
    yield conversationOf({ messages: loose }, { file, record: undefined, index, options });
  }
}

interface Context {
  readonly file: InputFile;
  readonly record: string | undefined;
  readonly index: number;
  readonly options: ReadOptions;
}

function conversationOf(fields: JsonObject, context: Context): ImportedConversation {
  const { file, record, options } = context;
  const turns = new TurnBuilder(options.activity);
  const messages = objectsIn(fields['messages']);
  for (const message of messages) addOpenAiMessage(turns, message);
  for (const other of listIn(fields['messages'])) {
    if (!isRecord(other)) turns.countLeftOut('of an unknown form');
  }
  const given = textIn(fields['id']) ?? textIn(fields['conversationId']) ?? textIn(fields['uuid']);
  return {
    type: 'conversation',
    path: file.name,
    record,
    fileTimeMs: file.modifiedAtMs,
    id: given ?? derivedId(file, messages, context.index),
    isKey: given !== undefined,
    title: textIn(fields['title']) ?? textIn(fields['name']),
    module: textIn(fields['module']) ?? textIn(fields['project']),
    tags: textsIn(fields['tags']),
    pinned: fields['pinned'] === true,
    createdAt: anyTimeIn(fields),
    updatedAt: timeIn(fields['updatedAt']) ?? timeIn(fields['updated_at']),
    metadata: definedOrNothing({
      ...objectIn(fields['metadata']),
      source: undefined,
      model: textIn(fields['model']),
    }),
    messages: turns.messages(),
    leftOut: turns.leftOut,
  };
}

/** It gets no number, so that the derived ids of the conversations after it stay the same. */
const emptyConversation = (file: InputFile, record: string): ImportedConversation => ({
  type: 'conversation',
  path: file.name,
  record,
  fileTimeMs: file.modifiedAtMs,
  id: `${posix.basename(file.name)}:${record}`,
  messages: [],
});

/** Derived from the first message, so that the id stays the same when messages are added to the file. */
function derivedId(file: InputFile, messages: readonly JsonObject[], index: number): string {
  const base = posix.basename(file.name);
  return `${base}:${index}:${sha256Hex(JSON.stringify(messages[0] ?? null)).slice(0, 16)}`;
}
