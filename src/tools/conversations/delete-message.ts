/** The tool `delete_message`: takes one message out of a conversation. */
import { z } from 'zod';
import { conversationRef } from '../conversation-input.js';
import { defineTool, REMOVES, success } from '../define-tool.js';

export const deleteMessage = defineTool({
  name: 'delete_message',
  toolset: 'conversations',
  title: 'Delete a message',
  description:
    'Takes one message out of a conversation; the version before is kept. Only when the user asks for it.',
  input: z.strictObject({
    conversationId: conversationRef(),
    messageId: z.string().min(1).max(200).describe('Id of the message.'),
    hash: z.string().min(1).max(64).describe('Of the message, from get_conversation.'),
  }),
  output: z.object({
    success,
    conversationId: z.string(),
    messageId: z.string(),
    deleted: z.boolean(),
    messageCount: z.number().int().describe('Messages that are left.'),
    updatedAt: z.string(),
  }),
  annotations: REMOVES,
  async run({ conversationId: ref, messageId, hash }, { conversations }) {
    const head = await conversations.edits.remove(ref, messageId, hash);
    const { conversationId, messageCount, updatedAt } = head;
    return { conversationId, messageId, deleted: true, messageCount, updatedAt };
  },
});
