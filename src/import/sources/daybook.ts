/**
 * Daybook's own exports (JSON and JSON Lines), and folders of conversations as they lie in a root, also
 * those of perplexity-mcp-server, whose form they have. Ids stay: `daybook restore` is stricter, this
 * brings in what differs as well.
 */
import type { Input, InputFile } from '../../files/input/input-types.js';
import { CONVERSATION_ID, type JsonObject } from '../../stores/conversations/document/schema.js';
import { firstLine, objectLines, textOf, unreadableConversation } from '../reading/documents.js';
import {
  defined,
  isObject,
  listIn,
  objectIn,
  objectsIn,
  parsedJson,
  textIn,
} from '../reading/fields.js';
import { roleIn } from '../reading/roles.js';
import { timeIn } from '../reading/times.js';
import type { ImportedConversation, ImportItem, ImportProblem, Source } from '../source.js';

const IN_FOLDER = /(?:^|\/)(\d{8}-\d{13})\/conversation\.json$/;
const LINES = /\.(jsonl|ndjson)$/i;

export const daybook: Source = {
  kind: 'daybook',
  title: 'conversations in the form of Daybook',
  async detect(input) {
    if (input.files.some(({ name }) => IN_FOLDER.test(name))) return true;
    const [file] = input.form === 'file' ? input.files : [];
    if (file === undefined) return false;
    const line = objectIn(await firstLine(file));
    if (isObject(line['thread']) || isObject(line['message'])) return true;
    const document = objectIn(parsedJson(await textOf(file)));
    return document['format'] === 'daybook-export' || isConversation(document);
  },
  async *read(input, { signal }) {
    for (const file of input.files) {
      signal?.throwIfAborted();
      const id = IN_FOLDER.exec(file.name)?.[1];
      if (id !== undefined) yield* folderConversation(file, id);
      else if (input.form === 'file') yield* fileConversations(file, input);
    }
  },
};

const isConversation = (document: JsonObject) =>
  CONVERSATION_ID.test(textIn(document['conversationId']) ?? '') &&
  Array.isArray(document['messages']);

async function* folderConversation(file: InputFile, id: string): AsyncGenerator<ImportItem> {
  const document = parsedJson(await textOf(file));
  const isRight = isObject(document) && Array.isArray(document['messages']);
  if (isRight) yield conversationOf(id, document, { file, record: undefined });
  else yield unreadableConversation(file.name, 'the document');
}

async function* fileConversations(file: InputFile, _input: Input): AsyncGenerator<ImportItem> {
  const line = objectIn(await firstLine(file));
  if (LINES.test(file.name) || isObject(line['thread'])) {
    yield* lineConversations(file);
    return;
  }
  const document = objectIn(parsedJson(await textOf(file)));
  const all = isConversation(document) ? [document] : listIn(document['conversations']);
  for (const [index, each] of all.entries()) {
    const id = textIn(objectIn(each)['conversationId']);
    const record = `conversations[${index}]`;
    if (isObject(each) && id !== undefined) yield conversationOf(id, each, { file, record });
    else yield unreadableConversation(file.name, record);
  }
}

interface Open {
  readonly id: string;
  readonly head: JsonObject;
  readonly messages: JsonObject[];
  readonly record: string;
}

/** A line for a thread, then one for each of its messages, in the order of `seq` where they have one. */
async function* lineConversations(file: InputFile): AsyncGenerator<ImportItem> {
  const problems: ImportProblem[] = [];
  const open = new Map<string, Open>();
  let last: Open | undefined;
  for await (const { value, record } of objectLines(file, (problem) => problems.push(problem))) {
    yield* problems.splice(0);
    const [thread, message] = [objectIn(value['thread']), objectIn(value['message'])];
    const id = textIn(thread['id']);
    const owner = open.get(textIn(message['threadId']) ?? '') ?? last;
    if (id !== undefined) {
      if (last !== undefined) yield* ended(file, last, open);
      last = { id, head: { ...thread, ...objectIn(thread['extra']) }, messages: [], record };
      open.set(id, last);
    } else if (isObject(value['message']) && owner !== undefined) owner.messages.push(message);
    else yield { ...unreadableConversation(file.name, record), isConversation: false };
  }
  yield* problems;
  if (last !== undefined) yield* ended(file, last, open);
}

function* ended(file: InputFile, { id, head, messages, record }: Open, open: Map<string, Open>) {
  open.delete(id);
  const isOrdered = messages.every(({ seq }) => typeof seq === 'number');
  const sorted = isOrdered
    ? [...messages].sort((a, b) => Number(a['seq']) - Number(b['seq']))
    : messages;
  yield conversationOf(id, { ...head, messages: sorted }, { file, record });
}

function conversationOf(
  id: string,
  document: JsonObject,
  { file, record }: { file: InputFile; record: string | undefined },
): ImportedConversation {
  const { title, module, tags, pinned, metadata, meta, branchOf } = document;
  const parent = objectIn(branchOf);
  const [from, messageId] = [textIn(parent['conversationId']), textIn(parent['messageId'])];
  // A thread of odei-history has its tags inside `meta`.
  const more = isObject(metadata)
    ? metadata
    : objectIn(typeof meta === 'string' ? parsedJson(meta) : meta);
  const { tags: inner, source: _source, ...others } = more;
  return {
    type: 'conversation',
    ...{ path: file.name, record, fileTimeMs: file.modifiedAtMs, id },
    isKey: !CONVERSATION_ID.test(id),
    title: textIn(title),
    module: textIn(module),
    tags: [...listIn(tags), ...listIn(inner)].filter((tag) => typeof tag === 'string'),
    pinned: pinned === true,
    createdAt: timeIn(document['createdAt']) ?? timeOfId(id),
    updatedAt: timeIn(document['updatedAt']),
    ...(Object.keys(others).length > 0 && { metadata: others }),
    ...(from !== undefined && { branchOf: { id: from, messageId } }),
    messages: objectsIn(document['messages']).flatMap((message) => messageOf(message) ?? []),
  };
}

function messageOf(message: JsonObject) {
  const { content, body, metadata, parentMessageId } = message;
  const role = roleIn(message['role']);
  const text = typeof content === 'string' ? content : textIn(body);
  if (role === undefined || text === undefined) return undefined;
  return {
    ...{ role, content: text, id: textIn(message['id']), createdAt: timeIn(message['createdAt']) },
    parentId: textIn(parentMessageId),
    ...(isObject(metadata) && { metadata: defined(metadata) }),
  };
}

/** The folder says when, even where its date and its milliseconds disagree. */
const timeOfId = (id: string) =>
  CONVERSATION_ID.test(id) ? timeIn(Number(id.slice(9))) : undefined;
