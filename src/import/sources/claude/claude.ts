/**
 * The data export of Claude.ai: `conversations.json` and the projects (one file, or one for each project),
 * in a zip archive or a folder. Newer exports have a tree of messages, older ones a list. Documents of
 * projects become notes. Since September 2026 projects and memories are in archives of their own.
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
  elementsOf,
  filesNamed,
  hasElement,
  type JsonRecord,
  recordsOf,
  unreadable,
  unreadableConversation,
} from '../../reading/documents/documents.js';
import { notesOf, plainName } from '../../reading/documents/note-paths.js';
import { type TreeNode, uniqueIds } from '../../reading/messages/tree.js';
import { headOfBranch, treeConversations } from '../../reading/messages/tree-conversations.js';
import { TurnBuilder } from '../../reading/messages/turns.js';
import { timeIn } from '../../reading/text/times.js';
import type { ImportItem, ReadOptions, Source } from '../../source-interface.js';
import { hasListOf, withoutListsOf } from '../conversation-lists.js';
import { addClaudeMessage } from './claude-message.js';

const CONVERSATIONS = /(^|\/)conversations\.(jsonl?|ndjson)$/i;
const PROJECTS = /(^|\/)(projects\.json|projects\/[^/]+\.json)$/i;
const MEMORIES = /(^|\/)(memories\.json|memories\/[^/]+\.json)$/i;
/** Number of files that are read to detect the format. */
const MAX_PEEKS = 3;

export const claude: Source = {
  kind: 'claude',
  title: 'Claude.ai export',
  async detect(input) {
    return (
      (await hasListOf('claude', filesNamed(CONVERSATIONS, input))) ||
      (await hasFileOf(isProject, projectsOf(input))) ||
      (await hasFileOf(isMemory, memoriesOf(input)))
    );
  },
  async *read(input, options) {
    const [projects, memories] = [projectsOf(input), memoriesOf(input)];
    const { names, folders } = await projectsIn(projects);
    for (const file of projects) {
      for await (const record of elementsOf(file)) yield* projectNotes(record, file, folders);
    }
    for (const file of memories) {
      for await (const record of elementsOf(file)) yield* memoryNotes(record, file);
    }
    const notes = new Set([...projects, ...memories]);
    const files = filesNamed(CONVERSATIONS, input).filter((file) => !notes.has(file));
    for await (const file of withoutListsOf('chatgpt', files, input.form)) {
      for await (const record of recordsOf(file)) {
        options.signal?.throwIfAborted();
        yield* conversationsOf(record, file, names, options);
      }
    }
  },
};

const projectsOf = ({ files }: Input) => files.filter(({ name }) => PROJECTS.test(name));
const memoriesOf = ({ files }: Input) => files.filter(({ name }) => MEMORIES.test(name));

const isProject = (value: unknown): boolean =>
  isRecord(value) && 'uuid' in value && ('docs' in value || 'prompt_template' in value);

const isMemory = (value: unknown): boolean =>
  isRecord(value) && ('conversations_memory' in value || 'project_memories' in value);

async function hasFileOf(
  isOfForm: (element: unknown) => boolean,
  files: readonly InputFile[],
): Promise<boolean> {
  for (const file of files.slice(0, MAX_PEEKS)) if (await hasElement(file, isOfForm)) return true;
  return false;
}

/**
 * By id: the names of the projects, and of the folders of their notes. Of projects with the same name only
 * the oldest has the name alone, so that a new project does not change the folder of another one.
 */
async function projectsIn(files: readonly InputFile[]) {
  const found: { id: string; name: string; createdAt: string }[] = [];
  for (const file of files) {
    for await (const { value } of elementsOf(file)) {
      const fields = objectIn(value);
      const id = textIn(fields['uuid']);
      const name = textIn(fields['name']) ?? id ?? '';
      if (id !== undefined) found.push({ id, name, createdAt: timeIn(fields['created_at']) ?? '' });
    }
  }
  found.sort((a, b) => (a.createdAt < b.createdAt ? -1 : Number(a.createdAt > b.createdAt)));
  const used = new Set<string>();
  const folders = new Map<string, string>();
  for (const { id, name } of found) {
    const key = plainName(name).toLowerCase();
    folders.set(id, used.has(key) ? `${name.slice(0, 60)} ${id.slice(0, 8)}` : name);
    used.add(key);
  }
  return { names: new Map(found.map(({ id, name }) => [id, name])), folders };
}

function* projectNotes(
  record: JsonRecord,
  { modifiedAtMs: fileTimeMs }: InputFile,
  folders: ReadonlyMap<string, string>,
): Generator<ImportItem> {
  const { value, path, record: at } = record;
  if (!isRecord(value)) {
    yield unreadable(path, at);
    return;
  }
  const id = textIn(value['uuid']);
  const name = id === undefined ? undefined : folders.get(id);
  const folder = ['claude', name ?? textIn(value['name']) ?? 'project'];
  const location = { ...record, origin: id, fileTimeMs };
  const instructions = textIn(value['prompt_template']);
  const used = new Set(['instructions']);
  if (instructions !== undefined) yield* notesOf(location, folder, 'instructions', instructions);
  for (const document of objectsIn(value['docs'])) {
    const content = textIn(document['content']);
    const given = (textIn(document['filename']) ?? 'document').replace(/\.md$/i, '');
    const isTaken = used.has(given.toLowerCase());
    const own = isTaken ? `${given} ${textIn(document['uuid'])?.slice(0, 8) ?? used.size}` : given;
    used.add(own.toLowerCase());
    if (content !== undefined) yield* notesOf(location, folder, own, content);
  }
}

/** What Claude remembers about the user. The format is not documented, so only texts are imported. */
function* memoryNotes(
  record: JsonRecord,
  { modifiedAtMs: fileTimeMs }: InputFile,
): Generator<ImportItem> {
  const fields = objectIn(record.value);
  const all = textIn(fields['conversations_memory']);
  const location = { ...record, origin: textIn(fields['account_uuid']), fileTimeMs };
  if (all !== undefined) yield* notesOf(location, ['claude'], 'memory', all);
  for (const [id, text] of Object.entries(objectIn(fields['project_memories']))) {
    const memory = textIn(text);
    const ofProject = { ...record, fileTimeMs };
    if (memory !== undefined) yield* notesOf(ofProject, ['claude', 'memory'], id, memory);
  }
  for (const file of objectsIn(fields['memory_files'])) {
    const { dir, name } = posix.parse(textIn(file['path']) ?? '');
    const content = textIn(file['content']);
    const folder = ['claude', 'memory', ...dir.split('/').filter((part) => part !== '')];
    if (content !== undefined && name !== '') yield* notesOf(location, folder, name, content);
  }
}

interface ClaudeNode extends TreeNode {
  readonly fields: JsonObject;
}

function* conversationsOf(
  { value, path, record }: JsonRecord,
  file: InputFile,
  projects: ReadonlyMap<string, string>,
  { activity }: ReadOptions,
): Generator<ImportItem> {
  const fields = objectIn(value);
  const id = textIn(fields['uuid']);
  if (id === undefined || !Array.isArray(fields['chat_messages'])) {
    yield unreadableConversation(path, record);
    return;
  }
  const nodes = nodesOf(objectsIn(fields['chat_messages']));
  const head = headOf(fields, projects);
  const read = (some: readonly ClaudeNode[]) => {
    const turns = new TurnBuilder(activity);
    for (const node of some) addClaudeMessage(turns, node.id, node.fields);
    return turns;
  };
  for (const branch of treeConversations(id, nodes, leafOf(fields, nodes), read)) {
    yield {
      type: 'conversation',
      path,
      record,
      fileTimeMs: file.modifiedAtMs,
      ...headOfBranch(head, branch),
      ...branch,
    };
  }
}

/**
 * The messages as nodes: a tree if the export names parents; otherwise each message is the child of the one
 * before.
 */
function nodesOf(messages: readonly JsonObject[]): ClaudeNode[] {
  const isTree = messages.some((message) => textIn(message['parent_message_uuid']) !== undefined);
  const sorted = isTree ? messages : [...messages].sort(byOrder);
  let before: string | undefined;
  const uniqueId = uniqueIds();
  return sorted.map((fields, index) => {
    const id = uniqueId(textIn(fields['uuid']) ?? String(index));
    const parent = isTree ? textIn(fields['parent_message_uuid']) : before;
    before = id;
    return { id, parent, fields };
  });
}

function byOrder(a: JsonObject, b: JsonObject): number {
  const [first, second] = [numberIn(a['index']), numberIn(b['index'])];
  if (first !== undefined && second !== undefined && first !== second) return first - second;
  const [before, after] = [timeIn(a['created_at']) ?? '', timeIn(b['created_at']) ?? ''];
  return before < after ? -1 : Number(before > after);
}

/** The leaf that the source shows; if it is missing, the newest leaf. */
function leafOf(fields: JsonObject, nodes: readonly ClaudeNode[]): string | undefined {
  const given = textIn(fields['current_leaf_message_uuid']);
  if (given !== undefined && nodes.some(({ id }) => id === given)) return given;
  const parents = new Set(nodes.map(({ parent }) => parent));
  const leaves = nodes.filter(({ id }) => !parents.has(id));
  const timed = leaves.map((node) => ({
    id: node.id,
    at: timeIn(node.fields['created_at']) ?? '',
  }));
  return timed.reduce((last, next) => (next.at >= last.at ? next : last), { id: '', at: '' }).id;
}

function headOf(fields: JsonObject, projects: ReadonlyMap<string, string>) {
  const project = textIn(fields['project_uuid']) ?? textIn(objectIn(fields['project'])['uuid']);
  return {
    title: textIn(fields['name']),
    createdAt: timeIn(fields['created_at']),
    updatedAt: timeIn(fields['updated_at']),
    ...(project !== undefined && { module: projects.get(project) ?? project, project }),
    pinned: fields['is_starred'] === true,
    metadata: definedOrNothing({
      model: textIn(fields['model']),
      summary: textIn(fields['summary']),
    }),
  };
}
