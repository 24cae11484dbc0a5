/** The tool `update_message`: replaces the text of one message if its hash is still the given hash. */
import { z } from 'zod';
import { messageHash } from '../../stores/conversations/document/message-hash.js';
import { maskedField, maskedNoteOf } from '../answers/masked-note.js';
import { CHANGES, defineTool, success } from '../define-tool.js';
import { conversationRef } from '../fields/conversation-input.js';

export const updateMessage = defineTool({
  name: 'update_message',
  toolset: 'conversations',
  title: 'Change a message',
  description:
    'Replaces the text of a message; the earlier version of the conversation is stored. Use it only when the user asks for it.',
  input: () =>
    z.strictObject({
      conversationId: conversationRef(),
      messageId: z.string().describe('Id of the message.'),
      hash: z.string().describe('Hash of the message, from get_conversation.'),
      content: z.string().min(1).describe('The whole new text.'),
    }),
  output: () =>
    z.object({
      success,
      conversationId: z.string(),
      messageId: z.string(),
      hash: z.string().describe('Hash of the new text.'),
      updatedAt: z.string(),
      note: maskedField,
    }),
  annotations: CHANGES,
  async run({ conversationId: ref, messageId, hash, content }, { conversations }) {
    const edited = await conversations.edits.update(ref, messageId, content, hash);
    const { conversationId, updatedAt } = edited.head;
    const stored = messageHash(edited.content);
    return { conversationId, messageId, hash: stored, updatedAt, ...maskedNoteOf(edited.masked) };
  },
});
