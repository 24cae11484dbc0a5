/**
 * The tool `get_conversation`: one conversation with a page of its messages, newest page first,
 * each page in the order in which the messages were said.
 */
import { z } from 'zod';
import { AppError } from '../../base/errors.js';
import { type Message, ROLES } from '../../stores/conversations/schema.js';
import { defineTool, READS, success } from '../define-tool.js';
import { jsonObject } from '../json-object.js';

const messageSchema = z.object({
  seq: z.number().int(),
  id: z.string(),
  role: z.enum(ROLES),
  content: z.string(),
  createdAt: z.string(),
  parentMessageId: z.string().exactOptional(),
  metadata: jsonObject('As it was saved.').exactOptional(),
});

/** One answer stays well below the 10 MiB at which clients give up the connection. */
const MAX_PAGE_BYTES = 6 * 1024 * 1024;
/** An upper bound that needs no encoding: a UTF-16 unit is at most three bytes of UTF-8. */
const LONGEST_CHARACTER_BYTES = 3;

export const getConversation = defineTool({
  name: 'get_conversation',
  toolset: 'conversations',
  title: 'Read a conversation',
  description:
    'Reads a conversation as it is on disk now, hand edits included: what is known about it and its latest messages in order. For earlier ones call again with beforeMessageId set to nextBeforeMessageId. Continue the conversation with save_message.',
  input: z.strictObject({
    conversationId: z.string().describe('Id of the conversation, or the key it was saved under.'),
    includeMessages: z
      .boolean()
      .describe('False gives only what is known about the conversation.')
      .default(true),
    messageLimit: z
      .number()
      .int()
      .min(1)
      .max(1000)
      .describe('Most messages to give; fewer come when they are very long.')
      .default(100),
    beforeMessageId: z.string().describe('Give the messages before this one.').exactOptional(),
  }),
  output: z.object({
    success,
    conversationId: z.string(),
    nextBeforeMessageId: z
      .string()
      .describe('Pass as beforeMessageId for the page before; absent at the start.')
      .exactOptional(),
    hasMore: z.boolean().describe('Whether earlier messages exist.'),
    total: z.number().int().describe('Messages in the whole conversation.'),
    title: z.string().exactOptional(),
    module: z.string().exactOptional(),
    clientId: z.string().exactOptional(),
    pinned: z.boolean().exactOptional(),
    tags: z.array(z.string()).exactOptional(),
    metadata: jsonObject('As it was saved.').exactOptional(),
    branchOf: z.object({ conversationId: z.string(), messageId: z.string() }).exactOptional(),
    createdAt: z.string(),
    updatedAt: z.string(),
    conversationPath: z.string(),
    messages: z.array(messageSchema).exactOptional(),
  }),
  annotations: READS,
  quotesText: true,
  async run(input, { conversations }) {
    const { messages, messageCount: _, ...head } = await conversations.load(input.conversationId);
    const end = endOfPage(messages, input.beforeMessageId);
    const start = input.includeMessages ? startOfPage(messages, end, input.messageLimit) : end;
    const first = messages[start];
    return {
      ...copyOf(head),
      ...(start > 0 && start < end && first && { nextBeforeMessageId: first.id }),
      hasMore: start > 0,
      total: messages.length,
      conversationPath: conversations.path(head.conversationId),
      ...(input.includeMessages && {
        messages: messages
          .slice(start, end)
          .map((message, index) => ({ ...message, seq: start + index + 1 })),
      }),
    };
  },
});

/** The store hands out read-only tags; the output schema wants an array of its own. */
function copyOf<T extends { readonly tags?: readonly string[] }>({ tags, ...head }: T) {
  return { ...head, ...(tags && { tags: [...tags] }) };
}

/** As many messages as asked for and as one answer carries, at least one. */
function startOfPage(messages: readonly Message[], end: number, limit: number): number {
  let start = end;
  let sizeBytes = 0;
  while (start > Math.max(0, end - limit)) {
    sizeBytes += JSON.stringify(messages[start - 1]).length * LONGEST_CHARACTER_BYTES;
    if (sizeBytes > MAX_PAGE_BYTES && start < end) break;
    start -= 1;
  }
  return start;
}

function endOfPage(messages: readonly Message[], beforeMessageId: string | undefined): number {
  if (beforeMessageId === undefined) return messages.length;
  const at = messages.findIndex(({ id }) => id === beforeMessageId);
  if (at >= 0) return at;
  throw new AppError(
    'MESSAGE_NOT_FOUND',
    `The conversation has no message with the id ${JSON.stringify(beforeMessageId.slice(0, 80))}.`,
  );
}
