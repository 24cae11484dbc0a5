/**
 * The tool `save_message`: appends one message to a conversation, or starts a conversation with it.
 * The message is durable when the call returns, except if the answer has `durable: false`.
 */

import { z } from 'zod';
import { archivedId, trashedId } from '../../app/not-found-hints.js';
import type { App } from '../../app.js';
import { defined } from '../../base/json.js';
import { countOf } from '../../base/text/display-text.js';
import type {
  AppendResult,
  ConversationStore,
  NewMessage,
} from '../../stores/conversations/conversations.js';
import type { ConversationFields } from '../../stores/conversations/document/apply-appends.js';
import { type ConversationHead, ROLES } from '../../stores/conversations/document/schema.js';
import { hasTag } from '../../stores/tags.js';
import { joinedNote, maskedField, noteBetween } from '../answers/masked-note.js';
import { ADDS, defineTool, optionalText, success } from '../define-tool.js';
import {
  inModule,
  messageContent,
  moduleName,
  newTags,
  newTitle,
  titled,
} from '../fields/conversation-input.js';
import { storedJsonObject } from '../fields/json-object.js';

export const saveMessage = defineTool({
  name: 'save_message',
  toolset: 'conversations',
  writesLater: true,
  title: 'Save a message',
  description:
    'Saves one message and returns when it is on the disk (otherwise with durable: false). To start a conversation, omit conversationId and later pass the returned id; or always pass a key of your own.',
  input: () =>
    z.strictObject({
      conversationId: optionalText(
        'Id (yyyymmdd-milliseconds), or a key of your own: 1 to 128 characters of A-Z a-z 0-9 . _ - that do not start like an id.',
      ),
      role: z.enum(ROLES).describe('Who wrote it.'),
      content: messageContent(
        'The message; it is stored as given, except secrets and <private> parts.',
      ),
      parentMessageId: optionalText('Id of the message that this one answers.'),
      metadata: storedJsonObject('JSON to store with the message.').exactOptional(),
      title: newTitle.describe('Title of a new conversation.').exactOptional(),
      module: moduleName.describe('Area of work of a new conversation.').exactOptional(),
      tags: newTags.describe('Tags of a new conversation.').exactOptional(),
    }),
  output: () =>
    z.object({
      success,
      conversationId: z.string(),
      messageId: z.string(),
      seq: z.int().describe('Position of the message in the conversation, from 1.'),
      created: z.boolean().describe('Whether this call started the conversation.'),
      createdAt: z.string(),
      messageCount: z.int(),
      conversationPath: z.string().describe('Folder of the conversation.'),
      clientId: optionalText('Key of the conversation.'),
      title: z.string().exactOptional(),
      note: maskedField.describe(
        'Which secrets and <private> parts were not stored, and which given fields were not used.',
      ),
    }),
  annotations: ADDS,
  async run({ conversationId, title, module, tags, ...message }, app) {
    const { conversations } = app;
    const start = { ...titled(title), ...inModule(module), ...defined({ tags }) };
    const { head, messages, seq, created, masked } = await save(
      conversations,
      conversationId,
      message,
      start,
    );
    const [saved] = messages;
    if (!saved) throw new Error('the store did not return the saved message');
    return {
      conversationId: head.conversationId,
      messageId: saved.id,
      seq,
      created,
      createdAt: saved.createdAt,
      messageCount: head.messageCount,
      conversationPath: conversations.path(head.conversationId),
      ...defined({ clientId: head.clientId, title: head.title }),
      ...joinedNote([
        ...(created ? await earlierNotes(app, head) : unchangedNotes(start, head)),
        noteBetween(start, created ? storedOf(start, head) : [], masked).note,
      ]),
    };
  },
});

/** The given fields that a conversation has with another value; it keeps its own. */
function unchangedFields(start: ConversationFields, head: ConversationHead): string[] {
  const { tags = [] } = head;
  const differs = (name: 'title' | 'module') =>
    start[name] !== undefined && start[name].trim() !== (head[name] ?? '').trim();
  const lacksTag = start.tags?.some((tag) => !hasTag(tags, tag)) ?? false;
  return [...(['title', 'module'] as const).filter(differs), ...(lacksTag ? ['tags'] : [])];
}

/** Of the given fields, the values that the new conversation has; its title may also be a derived one. */
const storedOf = (start: ConversationFields, head: ConversationHead) =>
  (['title', 'module', 'tags'] as const).map((name) => start[name] && head[name]);

function unchangedNotes(start: ConversationFields, head: ConversationHead): string[] {
  const unchanged = unchangedFields(start, head);
  if (unchanged.length === 0) return [];
  const named = new Intl.ListFormat('en').format(unchanged);
  return [
    `The conversation exists already and keeps its ${named}. To change a conversation, use \`update_conversation\`.`,
  ];
}

/**
 * A note if this call started a conversation with the key of a deleted or archived one, or perhaps of a damaged
 * one.
 */
async function earlierNotes(app: App, { clientId }: ConversationHead): Promise<string[]> {
  if (clientId === undefined) return [];
  const deleted = await trashedId(app, clientId);
  const damaged = app.conversations.damaged().length;
  const started = 'This call started a new conversation.';
  if (deleted !== undefined) {
    return [`${started} An earlier conversation with this key is in the trash: ${deleted}.`];
  }
  const archived = await archivedId(app, clientId);
  if (archived !== undefined) {
    return [
      `${started} An earlier conversation with this key is archived: ${archived}. To restore it, run \`daybook restore ${archived}\`.`,
    ];
  }
  if (damaged === 0) return [];
  return [
    `${started} ${countOf(damaged, 'conversation')} could not be read and may have this key; see \`store_info\`.`,
  ];
}

/** Appends to the conversation `ref`. A new key, or no `ref`, starts a conversation. */
async function save(
  store: ConversationStore,
  ref: string | undefined,
  message: NewMessage,
  start: ConversationFields,
): Promise<AppendResult> {
  if (ref !== undefined) {
    const result = await store.append(ref, [message], { create: start, mayDefer: true });
    // Concurrent calls with the same new key are written together; only the first one created it.
    return { ...result, created: result.created && result.seq === 1 };
  }
  const head = await store.create({ ...start, messages: [message], mayDefer: true });
  const { masked } = head;
  return { head, messages: head.messages, seq: 1, created: true, ...(masked && { masked }) };
}
