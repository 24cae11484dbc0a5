/**
 * Daybook's own exports in all formats, and another store: its conversations with their summaries, its notes,
 * facts, insights and free values. Folders of perplexity-mcp-server have the same form. Conversations keep
 * their ids. `daybook restore` accepts only its own exports; this import also adds the messages that only the
 * export has.
 */

import { posix } from 'node:path';
import { defined, parsedJson } from '../../base/json.js';
import { isRecord, listIn, objectIn, objectsIn, textIn, textsIn } from '../../base/json-fields.js';
import type { Input, InputFile } from '../../files/input/input-types.js';
import { MAX_DOCUMENT_BYTES } from '../../files/read/whole-file.js';
import { isAttachment } from '../../files/sealing/open-stores.js';
import { CONVERSATION_ID } from '../../stores/conversations/document/conversation-id.js';
import { isSealed } from '../../stores/conversations/document/parse-fields.js';
import type { JsonObject } from '../../stores/conversations/document/schema.js';
import { withSummaryFile } from '../../stores/summaries/exported-summaries.js';
import {
  filesNamed,
  firstLine,
  objectLines,
  textOf,
  unreadable,
  unreadableConversation,
  wholeDocument,
} from '../reading/documents/documents.js';
import {
  documentOfLines,
  documentOfMarkdown,
  documentOfOpenAi,
  isDaybookMarkdown,
} from '../reading/documents/own-export-documents.js';
import {
  besideConversations,
  encryptedStore,
  FilesBeside,
  IN_FOLDER,
} from '../reading/documents/own-store-files.js';
import { contentText } from '../reading/messages/openai-messages.js';
import { roleIn } from '../reading/text/roles.js';
import { timeIn } from '../reading/text/times.js';
import type {
  ImportedConversation,
  ImportItem,
  ImportProblem,
  Source,
} from '../source-interface.js';
import { isInMemoryBank, memoryBank } from './memory-bank.js';

const MARKDOWN = /\.md$/i;
/** Number of files of a folder that are read to detect the format. */
const MAX_PEEKS = 5;
/** One line may be a whole conversation. */
const LONG_LINES = { maxBytes: MAX_DOCUMENT_BYTES };
const LINES = /\.(jsonl|ndjson)$/i;
/** What assistants exported from a store: often an older state, with conversations that were deleted since. */
const EXPORTS = /(^|\/)exports\//;
const DOCUMENT = /\.(json|jsonl|ndjson)$/i;

export const daybook: Source = {
  kind: 'daybook',
  title: 'a store or an export of Daybook',
  async detect(input) {
    if (input.files.some(({ name }) => IN_FOLDER.test(name))) return true;
    for (const each of markdownOf(input)) {
      if (isDaybookMarkdown((await textOf(each)) ?? '')) return true;
    }
    // Those of a folder are inputs of their own.
    const documents = input.form === 'folder' ? [] : filesNamed(DOCUMENT, input);
    for (const each of documents.slice(0, MAX_PEEKS)) if (await isOwnExport(each)) return true;
    return false;
  },
  async *read(input, options) {
    const encrypted = await encryptedStore(input);
    if (encrypted !== undefined) {
      yield encrypted;
      return;
    }
    for (const state of besideConversations('state.json', input)) yield* freeValues(state);
    const beside = new FilesBeside(input.files);
    const isStore = input.files.some(({ name }) => IN_FOLDER.test(name));
    for (const file of input.files) {
      options.signal?.throwIfAborted();
      if (isAttachment(file.name) || isInMemoryBank(file)) continue;
      const id = IN_FOLDER.exec(file.name)?.[1];
      if (isStore && id === undefined && EXPORTS.test(file.name)) continue;
      if (id !== undefined) {
        // Each is asked, because the watch remembers the files for which it was asked.
        const all = beside.withFilesOf(file);
        if (all.map((each) => options.isKnown?.(each)).every(Boolean)) continue;
        yield* folderConversation(file, id, beside);
      } else if (MARKDOWN.test(file.name) && !(await isLinesFile(file, input)))
        yield* markdownConversation(file, beside);
      else if (input.form === 'file') yield* fileConversations(file);
      else if (input.form === 'zip' && DOCUMENT.test(file.name) && (await isOwnExport(file)))
        yield* fileConversations(file);
    }
    yield* memoryBank.read({ ...input, files: input.files.filter(isInMemoryBank) }, options);
  },
};

const markdownOf = ({ files }: Input) =>
  files.filter(({ name }) => MARKDOWN.test(name) && !isAttachment(name)).slice(0, MAX_PEEKS);

/** The logs of many programs have a field `message` too. */
const isLine = ({ thread, message, messages, daybook }: JsonObject) =>
  textIn(objectIn(thread)['id']) !== undefined ||
  textIn(objectIn(message)['threadId']) !== undefined ||
  (isRecord(daybook) && Array.isArray(messages));

/** Whether the file is an export of Daybook, or has a conversation of a store. */
export async function isOwnExport(file: InputFile): Promise<boolean> {
  if (isLine(objectIn(await firstLine(file)))) return true;
  const document = objectIn(await wholeDocument(file));
  return document['format'] === 'daybook-export' || isConversation(document);
}

/** Whether the file has lines of an export, whatever its name is. */
const isLinesFile = async (file: InputFile, { form }: Input) =>
  form === 'file' && isLine(objectIn(await firstLine(file)));

async function* markdownConversation(
  file: InputFile,
  beside: FilesBeside,
): AsyncGenerator<ImportItem> {
  const text = (await textOf(file)) ?? '';
  if (!isDaybookMarkdown(text)) return; // another Markdown file in the same folder
  const item = wholeOrProblem(documentOfMarkdown(text), { file, record: undefined });
  const inFolder = (id: string) => beside.attachments(posix.join(posix.dirname(file.name), id));
  yield item.type === 'conversation' ? { ...item, inline: inFolder(item.id) } : item;
}

const isConversation = (document: JsonObject) =>
  CONVERSATION_ID.test(textIn(document['conversationId']) ?? '') &&
  Array.isArray(document['messages']);

/** Whether Daybook wrote the document. */
const isOfStore = ({ formatVersion }: JsonObject) => typeof formatVersion === 'number';

/**
 * A conversation in its own folder. One that Daybook wrote is imported unchanged, with its summaries and with
 * the source from which it was imported there.
 */
async function* folderConversation(
  file: InputFile,
  id: string,
  beside: FilesBeside,
): AsyncGenerator<ImportItem> {
  const document = parsedJson(await textOf(file));
  if (!isRecord(document) || !Array.isArray(document['messages'])) {
    yield unreadableConversation(file.name, 'the document');
    return;
  }
  if (isSealed(document)) {
    yield unreadableConversation(file.name, 'the document', 'DECRYPT');
    return;
  }
  const folder = posix.dirname(file.name);
  const inline = beside.attachments(folder);
  const at = { file, record: undefined };
  if (!isOfStore(document)) {
    yield { ...conversationOf(id, document, at), inline };
    return;
  }
  const summaries = beside.summaries(folder);
  const parsed = summaries && parsedJson(await textOf(summaries));
  if (summaries !== undefined && !isRecord(parsed))
    yield unreadable(summaries.name, 'the document');
  const whole = { ...document, conversationId: id };
  yield {
    ...conversationOf(id, document, at, isRecord(parsed) ? withSummaryFile(whole, parsed) : whole),
    inline,
  };
}

/** The values under keys of the user's own. What else is in the file concerns only the other store. */
async function* freeValues(file: InputFile): AsyncGenerator<ImportItem> {
  const { values } = objectIn(parsedJson(await textOf(file)));
  if (isRecord(values)) yield { type: 'state', path: file.name, values };
}

async function* fileConversations(file: InputFile): AsyncGenerator<ImportItem> {
  const line = objectIn(await firstLine(file));
  if (LINES.test(file.name) || isLine(line)) {
    yield* lineConversations(file);
    return;
  }
  const document = objectIn(parsedJson(await textOf(file)));
  const isExport = document['version'] === 1;
  const all = isConversation(document) ? [document] : listIn(document['conversations']);
  for (const [index, each] of all.entries()) {
    const id = textIn(objectIn(each)['conversationId']);
    const location = { file, record: `conversations[${index}]` };
    if (!isRecord(each) || id === undefined)
      yield unreadableConversation(file.name, location.record);
    else if (isSealed(each)) yield unreadableConversation(file.name, location.record, 'DECRYPT');
    else yield conversationOf(id, each, location, isExport || isOfStore(each) ? each : undefined);
  }
}

interface OpenThread {
  readonly thread: JsonObject;
  readonly messages: JsonObject[];
  readonly record: string;
}

/**
 * Lines of two formats: one line for a thread and then one for each of its messages, sorted by `seq` if all
 * have it; or one line for each conversation, with `messages` and `daybook`.
 */
async function* lineConversations(file: InputFile): AsyncGenerator<ImportItem> {
  const problems: ImportProblem[] = [];
  const open = new Map<string, OpenThread>();
  let last: OpenThread | undefined;
  const lines = objectLines(file, (problem) => problems.push(problem), {
    ...LONG_LINES,
    isExport: true,
  });
  for await (const { value, record } of lines) {
    yield* problems.splice(0);
    const [thread, message] = [objectIn(value['thread']), objectIn(value['message'])];
    const id = textIn(thread['id']);
    // A message of a thread that is not open would be in the wrong conversation.
    const threadId = textIn(message['threadId']);
    const owner = threadId === undefined ? last : open.get(threadId);
    if (id !== undefined) {
      if (last !== undefined) yield* finishThread(file, last, open);
      last = { thread, messages: [], record };
      open.set(id, last);
    } else if (isRecord(value['daybook'])) {
      yield wholeOrProblem(documentOfOpenAi(value), { file, record });
    } else if (isRecord(value['message']) && owner !== undefined) owner.messages.push(message);
    else if (isRecord(value['message'])) yield strayMessage(file, record, threadId);
    else yield { ...unreadableConversation(file.name, record), isConversation: false };
  }
  yield* problems;
  if (last !== undefined) yield* finishThread(file, last, open);
}

function strayMessage({ name }: InputFile, record: string, threadId = ''): ImportProblem {
  const of = `a message of the thread ${JSON.stringify(threadId)}, which does not begin before it`;
  const message = `${record} of ${name} is ${of}. It was not imported.`;
  return { type: 'problem', path: name, record, code: 'VALIDATION_ERROR', message };
}

function* finishThread(
  file: InputFile,
  { thread, messages, record }: OpenThread,
  open: Map<string, OpenThread>,
) {
  const id = String(thread['id']);
  open.delete(id);
  const isOrdered = messages.every(({ seq }) => typeof seq === 'number');
  const sorted = isOrdered
    ? [...messages].sort((a, b) => Number(a['seq']) - Number(b['seq']))
    : messages;
  const document = { ...thread, ...objectIn(thread['extra']), messages: sorted };
  yield conversationOf(id, document, { file, record }, documentOfLines(thread, sorted));
}

interface Origin {
  readonly file: InputFile;
  readonly record: string | undefined;
}

/** `whole`: the exported document, if it is complete. */
function wholeOrProblem(whole: JsonObject | undefined, { file, record }: Origin): ImportItem {
  const id = textIn(whole?.['conversationId']);
  if (whole !== undefined && id !== undefined && CONVERSATION_ID.test(id)) {
    return conversationOf(id, whole, { file, record }, whole);
  }
  return unreadableConversation(file.name, record ?? 'the document');
}

function conversationOf(
  id: string,
  document: JsonObject,
  { file, record }: Origin,
  whole?: JsonObject,
): ImportedConversation {
  const { title, module, tags, pinned, metadata, meta, branchOf } = document;
  const parent = objectIn(branchOf);
  const [from, messageId] = [textIn(parent['conversationId']), textIn(parent['messageId'])];
  // odei-history stores the tags of a thread in `meta`.
  const more = isRecord(metadata)
    ? metadata
    : objectIn(typeof meta === 'string' ? parsedJson(meta) : meta);
  const { tags: inner, source: _source, ...others } = more;
  const given = objectsIn(document['messages']);
  const messages = given.flatMap((message) => messageOf(message) ?? []);
  const lost = given.length - messages.length;
  return {
    type: 'conversation',
    path: file.name,
    record,
    fileTimeMs: file.modifiedAtMs,
    id,
    isKey: !CONVERSATION_ID.test(id),
    title: textIn(title),
    module: textIn(module),
    tags: [...textsIn(tags), ...textsIn(inner)],
    pinned: pinned === true,
    createdAt: timeIn(document['createdAt']) ?? timeOfId(id),
    updatedAt: timeIn(document['updatedAt']),
    ...(Object.keys(others).length > 0 && { metadata: others }),
    ...(from !== undefined && { branchOf: { id: from, messageId } }),
    messages,
    ...(CONVERSATION_ID.test(id) && { whole }),
    ...(lost > 0 &&
      whole === undefined && { leftOut: { 'of an unknown role or without text': lost } }),
  };
}

function messageOf(message: JsonObject) {
  const { content, body, metadata, parentMessageId } = message;
  const role = roleIn(message['role']);
  const text =
    typeof content === 'string' ? content : (textIn(body) ?? textIn(contentText(content)));
  if (role === undefined || text === undefined) return undefined;
  return {
    role,
    content: text,
    id: textIn(message['id']),
    createdAt: timeIn(message['createdAt']),
    parentId: textIn(parentMessageId),
    ...(isRecord(metadata) && { metadata: defined(metadata) }),
  };
}

/** The time in the folder name is used, even if its date and its milliseconds disagree. */
const timeOfId = (id: string) =>
  CONVERSATION_ID.test(id) ? timeIn(Number(id.slice(9))) : undefined;
