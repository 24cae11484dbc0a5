/** The tool `history_threads_get`: returns a thread with its latest messages, or those before a position. */
import { z } from 'zod';
import type {
  ConversationPart,
  ConversationStore,
} from '../../stores/conversations/conversations.js';
import { fitsModule } from '../../stores/modules.js';
import { estimateTokens, maxTokens, messagesWithin } from '../answers/answer-budget.js';
import {
  moduleField,
  notInModule,
  threadIdField,
  threadMessageSchema,
  threadSchema,
  toThread,
  toThreadMessage,
} from '../answers/thread-view.js';
import { defineTool, optionalInt, READS, success } from '../define-tool.js';

export const historyThreadsGet = defineTool({
  name: 'history_threads_get',
  aliases: ['odei.history.threads.get.v1'],
  toolset: 'threads',
  title: 'Read a thread',
  description:
    'Returns a thread with its latest messages in order. For earlier messages pass nextBeforeSeq as beforeSeq.',
  input: () =>
    z.strictObject({
      threadId: threadIdField,
      module: moduleField
        .describe('Return it only if the thread is in this module.')
        .exactOptional(),
      limit: z.int().min(1).max(1000).describe('Maximum number of messages.').default(25),
      beforeSeq: z
        .int()
        .min(1)
        .describe('Return the messages before this position.')
        .exactOptional(),
      maxTokens,
    }),
  output: () =>
    z.object({
      success,
      nextBeforeSeq: optionalInt('Pass as beforeSeq for the previous page; absent at the start.'),
      hasMore: z.boolean().describe('Whether earlier messages exist.'),
      total: z.int().describe('Number of messages in the whole thread.'),
      thread: threadSchema,
      messages: z.array(threadMessageSchema),
    }),
  annotations: READS,
  quotesText: true,
  async run({ threadId, module, limit, beforeSeq, maxTokens: budget }, { conversations }) {
    const {
      head,
      messages: requested,
      first: start,
    } = await pageOf(conversations, threadId, {
      limit,
      beforeSeq,
    });
    if (!fitsModule(head.module, module)) throw notInModule(head, module);
    const thread = toThread(head);
    const page = requested.map((message, at) => toThreadMessage(message, start + at));
    // The newest messages matter most, so they get the tokens first.
    const room = budget - estimateTokens(thread);
    const shown = messagesWithin(page.reverse(), room, (message, cut) => cut(message));
    const messages = shown.reverse();
    const first = messages[0]?.seq ?? start;
    return {
      ...(first > 1 && messages.length > 0 && { nextBeforeSeq: first }),
      hasMore: first > 1,
      total: head.messageCount,
      thread,
      messages,
    };
  },
});

interface Page {
  readonly limit: number;
  readonly beforeSeq: number | undefined;
}

/** The last `limit` messages before `beforeSeq`; only these are read. */
async function pageOf(
  conversations: ConversationStore,
  threadId: string,
  { limit, beforeSeq }: Page,
): Promise<ConversationPart> {
  if (beforeSeq !== undefined) {
    const first = Math.max(1, beforeSeq - limit);
    const part = await conversations.part(threadId, { first, count: beforeSeq - first });
    if (beforeSeq <= part.head.messageCount) return part;
  }
  return conversations.part(threadId, { count: limit });
}
