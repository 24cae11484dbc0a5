/** The tool `restore_conversation`: out of the trash again. */
import { z } from 'zod';
import { ADDS, defineTool, success } from '../define-tool.js';

export const restoreConversation = defineTool({
  name: 'restore_conversation',
  toolset: 'admin',
  title: 'Restore a conversation',
  description:
    'Brings a deleted conversation back from the trash, by its name there (list_trash) or, the last deleted, by its id. Nothing is overwritten.',
  input: z.strictObject({
    name: z.string().max(200).describe('Its name in the trash, its id or its key.'),
  }),
  output: z.object({
    success,
    conversationId: z.string(),
    droppedKey: z
      .string()
      .describe('The key that it lost: another conversation has it by now.')
      .exactOptional(),
  }),
  annotations: ADDS,
  async run({ name }, { conversations }) {
    return { ...(await conversations.restore(name)) };
  },
});
