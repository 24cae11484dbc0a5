/** The tool `branch_conversation`: a new conversation with the messages up to a given one. */
import { z } from 'zod';
import { maskedField, noteBetween } from '../answers/masked-note.js';
import { ADDS, defineTool, success } from '../define-tool.js';
import {
  conversationRef,
  headSchema,
  newTitle,
  titled,
  toListed,
} from '../fields/conversation-input.js';

export const branchConversation = defineTool({
  name: 'branch_conversation',
  toolset: 'conversations',
  title: 'Branch a conversation',
  description:
    'Starts a new conversation with copies of the messages of another one, up to and including the given message. The source is not changed.',
  input: () =>
    z.strictObject({
      conversationId: conversationRef('Id or key of the source.'),
      messageId: z.string().describe('The last message to copy.'),
      title: newTitle
        .describe('Title of the branch (default: that of the source).')
        .exactOptional(),
    }),
  output: () =>
    z.object({
      success,
      ...headSchema.shape,
      lastMessageId: z
        .string()
        .describe('Id that the copy of the given message has in the branch.'),
      conversationPath: z.string(),
      note: maskedField,
    }),
  annotations: ADDS,
  async run({ conversationId, messageId, title }, { conversations }, { signal }) {
    const { messages, ...head } = await conversations.branch(conversationId, messageId, {
      ...titled(title),
      signal,
    });
    return {
      ...toListed(head),
      lastMessageId: messages.at(-1)?.id ?? '',
      conversationPath: conversations.path(head.conversationId),
      ...noteBetween(title, title && head.title),
    };
  },
});
