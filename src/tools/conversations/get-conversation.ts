/**
 * The tool `get_conversation`: returns a conversation with one page of its messages. The first page has
 * the newest messages; the messages of a page are in order of time.
 */
import { z } from 'zod';
import { shownNames } from '../../base/text/display-text.js';
import { resumeOf } from '../../import/resume-command.js';
import type {
  ConversationPart,
  ConversationStore,
} from '../../stores/conversations/conversations.js';
import { costsOf } from '../../stores/conversations/document/message-cost.js';
import { messageHash } from '../../stores/conversations/document/message-hash.js';
import {
  type Conversation,
  type Message,
  ROLES,
} from '../../stores/conversations/document/schema.js';
import { endBefore } from '../../stores/conversations/files/message-positions.js';
import type { StateStore } from '../../stores/state/state.js';
import { estimateTokens, isCutField, maxTokens, messagesWithin } from '../answers/answer-budget.js';
import { defineTool, optionalFlag, optionalText, READS, success } from '../define-tool.js';
import { conversationRef } from '../fields/conversation-input.js';
import { jsonObject } from '../fields/json-object.js';

const messageSchema = z.object({
  seq: z.int(),
  id: z.string(),
  role: z.enum(ROLES),
  content: z.string(),
  createdAt: z.string(),
  hash: z.string().describe('Pass to update_message and delete_message.'),
  durable: z.literal(false).describe('The message is not yet on the disk.').exactOptional(),
  parentMessageId: z.string().exactOptional(),
  metadata: jsonObject('As it was saved.').exactOptional(),
  isCut: isCutField,
});

export const getConversation = defineTool({
  name: 'get_conversation',
  toolset: 'conversations',
  title: 'Read a conversation',
  description:
    'Returns the fields of a conversation and its latest messages in order. For earlier messages pass nextBeforeMessageId as beforeMessageId.',
  input: () =>
    z.strictObject({
      conversationId: conversationRef(),
      includeMessages: z.boolean().describe('False: return no messages.').default(true),
      messageLimit: z
        .int()
        .min(1)
        .max(1000)
        .describe(
          'Maximum number of messages (default: contextWindow of set_state, otherwise 100).',
        )
        .exactOptional(),
      beforeMessageId: optionalText('Return the messages before this one.'),
      version: z
        .int()
        .min(1)
        .describe('Number of an earlier version, from versions.')
        .exactOptional(),
      maxTokens,
    }),
  output: () =>
    z.object({
      success,
      conversationId: z.string(),
      nextBeforeMessageId: optionalText(
        'Pass as beforeMessageId for the previous page; absent at the start.',
      ),
      hasMore: z.boolean().describe('Whether earlier messages exist.'),
      total: z.int().describe('Number of messages in the whole conversation.'),
      title: z.string().exactOptional(),
      module: z.string().exactOptional(),
      clientId: z.string().exactOptional(),
      alsoWithThisKey: z
        .array(z.string())
        .describe(
          'Ids of other conversations with the same key. While there are any, nothing can be saved with this key.',
        )
        .exactOptional(),
      pinned: z.boolean().exactOptional(),
      tags: z.array(z.string()).exactOptional(),
      metadata: jsonObject('As it was saved.').exactOptional(),
      isMetadataCut: optionalFlag(
        'True if tags and metadata are too long for maxTokens and are not returned.',
      ),
      branchOf: z.object({ conversationId: z.string(), messageId: z.string() }).exactOptional(),
      branches: z
        .array(
          z.object({
            conversationId: z.string(),
            messageId: z.string(),
            title: z.string().exactOptional(),
          }),
        )
        .describe('Branches of this conversation, at most 20.')
        .exactOptional(),
      costs: z
        .array(z.object({ currency: z.string(), total: z.number(), answers: z.int() }))
        .describe('Cost of the paid answers.')
        .exactOptional(),
      resume: z
        .object({
          program: z.string(),
          command: z.string(),
          folder: z.string().describe('Where to run the command.').exactOptional(),
        })
        .describe(
          'How the user continues this imported session in its own program, while that still has it.',
        )
        .exactOptional(),
      createdAt: z.string(),
      updatedAt: z.string(),
      conversationPath: z.string(),
      versions: z
        .array(z.object({ version: z.int(), keptAt: z.string(), reason: z.string() }))
        .describe('Earlier versions, the newest first; absent if there are none.')
        .exactOptional(),
      messages: z.array(messageSchema).exactOptional(),
    }),
  annotations: READS,
  view: 'conversation',
  quotesText: true,
  needsStore: ({ version }) => version !== undefined,
  async run({ includeMessages, messageLimit, maxTokens: budget, ...input }, app) {
    const { conversations } = app;
    const limit = includeMessages ? (messageLimit ?? (await defaultLimit(app.state))) : 0;
    const { costs, first, ...part } = await requestedPart(conversations, input, limit);
    const { messageCount: total, ...whole } = part.head;
    const versions = await versionsOf(conversations, whole.conversationId);
    const resume = resumeOf(whole);
    const others = othersWithKey(conversations, input.conversationId, whole.conversationId);
    const head = headWithin(whole, budget / 2);
    const messages = pageWithin(part.messages, first, budget - estimateTokens(head));
    const start = first - 1 + part.messages.length - messages.length;
    const { deferred } = conversations;
    const branches = await branchesOf(conversations, head.conversationId);
    return {
      ...head,
      ...(branches.length > 0 && { branches }),
      ...(costs.length > 0 && { costs: [...costs] }),
      ...(start > 0 && messages[0] && { nextBeforeMessageId: messages[0].id }),
      hasMore: start > 0,
      total,
      conversationPath: conversations.path(head.conversationId),
      ...(others.length > 0 && { alsoWithThisKey: others }),
      ...(versions.length > 0 && { versions }),
      ...(resume && { resume }),
      ...(includeMessages && {
        messages: messages.map((message) =>
          deferred.isWaiting(whole.conversationId, message.id)
            ? { ...message, durable: false as const }
            : message,
        ),
      }),
    };
  },
});

interface PartRequest {
  readonly conversationId: string;
  readonly beforeMessageId?: string;
  readonly version?: number;
}

/** The last `limit` messages before `beforeMessageId`. Without `version` only these messages are read. */
async function requestedPart(
  conversations: ConversationStore,
  { conversationId, beforeMessageId, version }: PartRequest,
  limit: number,
): Promise<Omit<ConversationPart, 'systemMessages'>> {
  if (version === undefined) {
    const before = beforeMessageId === undefined ? {} : { before: beforeMessageId };
    return conversations.part(conversationId, { count: limit, ...before });
  }
  const { messages, ...head } = await conversations.history.read(conversationId, version);
  const end =
    beforeMessageId === undefined ? messages.length : endBefore(messages, beforeMessageId);
  const from = Math.max(0, end - limit);
  return { head, first: from + 1, messages: messages.slice(from, end), costs: costsOf(messages) };
}

async function versionsOf({ history, deferred }: ConversationStore, conversationId: string) {
  if (deferred.queue.isAway || deferred.view(conversationId) !== undefined) return [];
  const { versions } = await history.list(conversationId);
  return versions.map(({ number: version, keptAt, reason }) => ({ version, keptAt, reason }));
}

/** Ids of other conversations with this key: a copied folder has the key of its original. */
function othersWithKey(store: ConversationStore, key: string, shown: string): string[] {
  const found = store.duplicateKeys().find(({ clientId }) => clientId === key);
  return (found?.conversationIds ?? []).filter((id) => id !== shown);
}

const MAX_BRANCHES = 20;

async function branchesOf(conversations: ConversationStore, source: string) {
  const heads = await conversations.list();
  return heads
    .flatMap(({ branchOf, conversationId, title }) =>
      branchOf?.conversationId === source
        ? [{ conversationId, messageId: branchOf.messageId, ...shownNames({ title }) }]
        : [],
    )
    .slice(0, MAX_BRANCHES);
}

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1000;

async function defaultLimit(state: StateStore): Promise<number> {
  const contextWindow = await state.contextWindow();
  return Math.min(contextWindow ?? DEFAULT_LIMIT, MAX_LIMIT);
}

/**
 * Leaves out tags and metadata that are longer than `room`, so that messages fit into the answer. The title is
 * whole, so that it can be edited, unless it takes more than a quarter of `room`.
 */
function headWithin(
  { metadata, tags, ...head }: Omit<Conversation, 'messages' | 'messageCount'>,
  room: number,
) {
  const { title } = head;
  const isTooLong = estimateTokens({ metadata, tags }) > room;
  return {
    ...head,
    ...shownNames(head),
    ...(title !== undefined && estimateTokens(title) <= room / 4 && { title }),
    ...(isTooLong
      ? { isMetadataCut: true }
      : { ...(tags && { tags: [...tags] }), ...(metadata && { metadata }) }),
  };
}

/** The last messages that fit, at least one. `first` is the position of the first of `messages`. */
function pageWithin(messages: readonly Message[], first: number, room: number) {
  const page = messages.map((message, index): PageMessage => {
    return { ...message, hash: messageHash(message.content), seq: first + index };
  });
  const newest = page.pop();
  if (newest === undefined) return [];
  const { metadata: _, ...bare } = newest;
  const last = estimateTokens(newest) > room ? { ...bare, isCut: true } : newest;
  const newestFirst = [last, ...page.reverse()];
  return messagesWithin(newestFirst, room, (message, cut) => cut(message)).reverse();
}

type PageMessage = z.output<typeof messageSchema>;
