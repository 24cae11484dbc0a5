/**
 * ChatGPT's data export: `conversations.json`, or `conversations-000.json` and so on, in a zip archive or a
 * folder. A conversation is a tree of nodes. The path to `current_node` is what the page showed; the other
 * leaves become branches. Hidden nodes and injected context are left out.
 */

import { parsedJson } from '../../../base/json.js';
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
  filesNamed,
  type JsonRecord,
  recordsOf,
  textOf,
  unreadableConversation,
} from '../../reading/documents/documents.js';
import { headOfBranch, treeConversations } from '../../reading/messages/tree-conversations.js';
import { TurnBuilder } from '../../reading/messages/turns.js';
import { attachmentNames, type NamedFiles } from '../../reading/text/attachment-lines.js';
import { timeIn } from '../../reading/text/times.js';
import type { ImportItem, ReadOptions, Source } from '../../source-interface.js';
import { hasListOf, withoutListsOf } from '../conversation-lists.js';
import { addNode, type ChatGptNode, nodesOf } from './chatgpt-node.js';

const CONVERSATIONS = /(^|\/)conversations(-\d+)?\.(jsonl?|ndjson)$/i;
const SHARED = /(^|\/)shared_conversations\.json$/i;
/** Since 2026 attachments have names such as `file-AbC123.dat`. This file has the name that each had before. */
const TITLES = /(^|\/)conversation_asset_file_names\.json$/i;

export const chatgpt: Source = {
  kind: 'chatgpt',
  title: 'ChatGPT export',
  async detect(input) {
    return hasListOf('chatgpt', filesNamed(CONVERSATIONS, input));
  },
  async *read(input, options) {
    const names = attachmentNames(input.files, await titlesIn(input));
    const shared = await sharedIn(input);
    const files = filesNamed(CONVERSATIONS, input);
    for await (const file of withoutListsOf('claude', files, input.form)) {
      for await (const record of recordsOf(file)) {
        options.signal?.throwIfAborted();
        yield* conversationsOf(record, { file, names, shared, options });
      }
    }
  },
};

interface Context {
  readonly file: InputFile;
  readonly names: NamedFiles;
  readonly shared: ReadonlySet<string>;
  readonly options: ReadOptions;
}

function* conversationsOf(record: JsonRecord, context: Context): Generator<ImportItem> {
  const { value, path, record: at } = record;
  const fields = objectIn(value);
  const mapping = fields['mapping'];
  const id =
    textIn(fields['id']) ?? textIn(fields['conversation_id']) ?? idOfRoot(objectIn(mapping));
  if (id === undefined || !isRecord(mapping)) {
    yield unreadableConversation(path, at);
    return;
  }
  const head = headOf(fields, context.shared.has(id));
  const attachments = new Set<string>();
  const names: NamedFiles = (id) => {
    const file = context.names(id);
    if (file !== undefined) attachments.add(file.path);
    return file;
  };
  const read = (nodes: readonly ChatGptNode[]) => {
    const turns = new TurnBuilder(context.options.activity);
    attachments.clear();
    for (const node of nodes) addNode(turns, node, names);
    return turns;
  };
  const nodes = nodesOf(mapping);
  for (const branch of treeConversations(id, nodes, textIn(fields['current_node']), read)) {
    yield {
      type: 'conversation',
      path,
      record: at,
      fileTimeMs: context.file.modifiedAtMs,
      ...headOfBranch(head, branch),
      ...branch,
      attachments: [...attachments],
    };
  }
}

/** For a conversation without an id: its first node has the same id in a later export. */
function idOfRoot(mapping: JsonObject): string | undefined {
  const nodes = Object.entries(mapping);
  const [id] = nodes.find(([, node]) => textIn(objectIn(node)['parent']) === undefined) ?? [];
  return id;
}

function headOf(fields: JsonObject, isShared: boolean) {
  const gizmo = textIn(fields['gizmo_id']) ?? textIn(fields['conversation_template_id']);
  const isProject = gizmo?.startsWith('g-p-') ?? false;
  const tags = [
    ...(fields['is_archived'] === true ? ['archived'] : []),
    ...(isShared ? ['shared'] : []),
  ];
  return {
    title: textIn(fields['title']),
    createdAt: timeIn(fields['create_time']),
    updatedAt: timeIn(fields['update_time']),
    ...(isProject && { module: gizmo, project: gizmo }),
    tags,
    pinned: fields['is_starred'] === true,
    metadata: definedOrNothing({
      model: textIn(fields['default_model_slug']),
      gizmo: isProject ? undefined : gizmo,
    }),
  };
}

/** The names that attachments had before the export, by their names in the export. */
async function titlesIn(input: Input): Promise<Map<string, string>> {
  const titles = Object.entries(objectIn(await documentNamed(TITLES, input)));
  return new Map(
    titles.flatMap(([name, title]) => {
      const given = textIn(title);
      return given === undefined ? [] : [[name, given]];
    }),
  );
}

async function documentNamed(pattern: RegExp, { files }: Input): Promise<unknown> {
  const file = files.find(({ name }) => pattern.test(name));
  return file === undefined ? undefined : parsedJson(await textOf(file));
}

/** Ids of the conversations that the user shared by a link. */
async function sharedIn(input: Input): Promise<Set<string>> {
  const list = await documentNamed(SHARED, input);
  const entries = Array.isArray(list) ? objectsIn(list) : [];
  return new Set(entries.flatMap((entry) => textIn(entry['conversation_id']) ?? []));
}
