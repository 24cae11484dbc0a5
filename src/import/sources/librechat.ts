/** Conversations that LibreChat exports, one a file: a list of messages with parents, or a tree. */

import { definedOrNothing, isRecord, objectIn, objectsIn, textIn } from '../../base/json-fields.js';
import type { JsonObject } from '../../stores/conversations/document/schema.js';
import {
  filesNamed,
  hasRecord,
  recordsOf,
  unreadableConversation,
} from '../reading/documents/documents.js';
import { contentText } from '../reading/messages/openai-messages.js';
import { type TreeNode, uniqueIds } from '../reading/messages/tree.js';
import { timesOf, treeConversations } from '../reading/messages/tree-conversations.js';
import { TurnBuilder } from '../reading/messages/turns.js';
import { fileLine } from '../reading/text/attachment-lines.js';
import { paragraphs } from '../reading/text/paragraphs.js';
import { timeIn } from '../reading/text/times.js';
import type { ImportItem, ReadOptions, Source } from '../source-interface.js';

interface ChatNode extends TreeNode {
  readonly fields: JsonObject;
}

const JSON_FILE = /\.json$/i;

export const libreChat: Source = {
  kind: 'librechat',
  title: 'conversations of LibreChat',
  async detect(input) {
    const [file] = filesNamed(JSON_FILE, input);
    return file !== undefined && (await hasRecord(file, isConversation));
  },
  async *read(input, options) {
    for (const file of filesNamed(JSON_FILE, input)) {
      for await (const { value, path, record } of recordsOf(file)) {
        const location = { path, record, fileTimeMs: file.modifiedAtMs };
        if (isConversation(value)) yield* conversations(value, location, options);
        else if (input.form === 'file' || !isOfOther(value)) {
          yield unreadableConversation(path, record);
        }
      }
    }
  },
};

/** A document of a folder without these fields belongs to another program. */
const isOfOther = (value: unknown): boolean =>
  isRecord(value) && !['conversationId', 'messages', 'messagesTree'].some((name) => name in value);

function isConversation(value: unknown): value is JsonObject {
  if (!isRecord(value) || textIn(value['conversationId']) === undefined) return false;
  const messages = [...objectsIn(value['messages']), ...objectsIn(value['messagesTree'])];
  return messages.some((message) => 'messageId' in message);
}

function* conversations(
  fields: JsonObject,
  location: { path: string; record: string; fileTimeMs: number },
  { activity }: ReadOptions,
): Generator<ImportItem> {
  const id = String(fields['conversationId']);
  const tree = objectsIn(fields['messagesTree']);
  const nodes = nodesOf(tree.length > 0 ? tree : objectsIn(fields['messages']));
  const treeUpdatedAt = newestTime(nodes);
  const read = (some: readonly ChatNode[]) => {
    const turns = new TurnBuilder(activity);
    for (const node of some) addMessage(turns, node);
    return turns;
  };
  for (const branch of treeConversations(id, nodes, undefined, read)) {
    const metadata = definedOrNothing({ model: textIn(objectIn(fields['options'])['model']) });
    const head = { title: textIn(fields['title']), metadata, treeUpdatedAt };
    yield { type: 'conversation', ...location, ...head, ...timesOf(branch), ...branch };
  }
}

/** An export has no time of its own. A message that was edited in its place has another `updatedAt`. */
function newestTime(nodes: readonly ChatNode[]): string | undefined {
  const times = nodes.flatMap(({ fields }) => [fields['updatedAt'], fields['createdAt']]);
  return times
    .flatMap((time) => timeIn(time) ?? [])
    .sort()
    .at(-1);
}

/** In a tree, children are inside their parents. */
function nodesOf(messages: readonly JsonObject[]): ChatNode[] {
  const nodes: ChatNode[] = [];
  const uniqueId = uniqueIds();
  const stack = [...messages].reverse();
  for (let fields = stack.pop(); fields !== undefined; fields = stack.pop()) {
    const id = uniqueId(textIn(fields['messageId']) ?? String(nodes.length));
    nodes.push({ id, parent: textIn(fields['parentMessageId']), fields });
    stack.push(...[...objectsIn(fields['children'])].reverse());
  }
  return nodes;
}

function addMessage(turns: TurnBuilder, { id, fields }: ChatNode): void {
  const createdAt = timeIn(fields['createdAt']);
  const parts = objectsIn(fields['content']);
  for (const part of parts) {
    if (part['type'] === 'think') turns.addThinking(textIn(part['think']), { id, createdAt });
    const call = objectIn(part['tool_call']);
    const name = textIn(call['name']);
    if (name === undefined) continue;
    turns.addToolCall(
      { name, input: call['args'], result: textIn(call['output']) },
      { id, createdAt },
    );
  }
  const spoken = parts.filter(({ type }) => type === 'text').map(textOfPart);
  const said = textIn(fields['text']) ?? contentText(spoken);
  const files = [...objectsIn(fields['files']), ...objectsIn(fields['attachments'])];
  const pictures = parts.filter(({ type }) => type === 'image_file' || type === 'image_url');
  const lines = [...pictures, ...files].flatMap((file) => fileLine(file) ?? []);
  const content = paragraphs([said, ...new Set(lines)]);
  const role = fields['isCreatedByUser'] === true ? 'user' : 'assistant';
  const metadata = definedOrNothing({ model: textIn(fields['model']) });
  turns.addMessage({ id, createdAt, role, content, metadata });
}

/** The part is a text, or an object with a text. */
const textOfPart = ({ text }: JsonObject): string =>
  textIn(text) ?? textIn(objectIn(text)['value']) ?? '';
