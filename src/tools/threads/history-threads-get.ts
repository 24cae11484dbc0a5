/** The tool `history_threads_get`: returns a thread with its latest messages, or those before a position. */
import { z } from 'zod';
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
    const { messages: all, ...head } = await conversations.load(threadId);
    if (!fitsModule(head.module, module)) throw notInModule(head, module);
    const thread = toThread(head);
    const end = Math.min(all.length, (beforeSeq ?? all.length + 1) - 1);
    const start = Math.max(0, end - limit);
    const requested = all
      .slice(start, end)
      .map((message, at) => toThreadMessage(message, start + at + 1));
    // The newest messages matter most, so they get the tokens first.
    const room = budget - estimateTokens(thread);
    const shown = messagesWithin(requested.reverse(), room, (message, cut) => cut(message));
    const messages = shown.reverse();
    const first = messages[0]?.seq ?? end + 1;
    return {
      ...(first > 1 && messages.length > 0 && { nextBeforeSeq: first }),
      hasMore: first > 1,
      total: all.length,
      thread,
      messages,
    };
  },
});
