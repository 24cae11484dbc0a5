/** The tool `delete_message`: removes one message from a conversation. */
import { z } from 'zod';
import { defineTool, REMOVES, success } from '../define-tool.js';
import { conversationRef } from '../fields/conversation-input.js';

export const deleteMessage = defineTool({
  name: 'delete_message',
  toolset: 'conversations',
  title: 'Delete a message',
  description:
    'Removes one message; the earlier version of the conversation is stored. Use it only when the user asks for it.',
  input: () =>
    z.strictObject({
      conversationId: conversationRef(),
      messageId: z.string().describe('Id of the message.'),
      hash: z.string().describe('Hash of the message, from get_conversation.'),
    }),
  output: () =>
    z.object({
      success,
      conversationId: z.string(),
      messageId: z.string(),
      deleted: z.boolean(),
      messageCount: z.int().describe('Number of messages that are left.'),
      updatedAt: z.string(),
    }),
  annotations: REMOVES,
  async run({ conversationId: ref, messageId, hash }, { conversations }) {
    const head = await conversations.edits.remove(ref, messageId, hash);
    const { conversationId, messageCount, updatedAt } = head;
    return { conversationId, messageId, deleted: true, messageCount, updatedAt };
  },
});
