/**
 * The tool `branch_conversation`: a new conversation that begins with the messages of another, up to
 * a chosen one, to go on differently from there.
 */
import { z } from 'zod';
import { conversationRef, headSchema, toListed } from '../conversation-input.js';
import { ADDS, defineTool, success } from '../define-tool.js';

export const branchConversation = defineTool({
  name: 'branch_conversation',
  toolset: 'conversations',
  title: 'Branch a conversation',
  description:
    'Starts a new conversation with a copy of the messages of another, up to and including the given one, to continue differently from there. The source is not changed. Continue the branch with save_message under the new conversationId.',
  input: () =>
    z.strictObject({
      conversationId: conversationRef('The conversation to branch off'),
      messageId: z.string().describe('The last message to copy.'),
      title: z
        .string()
        .min(1)
        .max(1000)
        .describe('Title of the branch; the title of the source where it is left out.')
        .exactOptional(),
    }),
  output: () =>
    z.object({
      success,
      ...headSchema.shape,
      lastMessageId: z.string().describe('Id, in the branch, of the copy of the chosen message.'),
      conversationPath: z.string(),
    }),
  annotations: ADDS,
  async run({ conversationId, messageId, ...options }, { conversations }, { signal }) {
    const { messages, ...head } = await conversations.branch(conversationId, messageId, {
      ...options,
      signal,
    });
    return {
      ...toListed(head),
      lastMessageId: messages.at(-1)?.id ?? '',
      conversationPath: conversations.path(head.conversationId),
    };
  },
});
