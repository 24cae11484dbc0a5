/** The tool `restore_conversation`: out of the trash again. */
import { z } from 'zod';
import { ADDS, defineTool, success } from '../define-tool.js';

export const restoreConversation = defineTool({
  name: 'restore_conversation',
  toolset: 'admin',
  title: 'Restore from the trash',
  description:
    'Brings a deleted conversation (or a note or an insight, with kind) back from the trash, by its name there (list_trash) or, the last deleted, by its id. Nothing is overwritten.',
  input: () =>
    z.strictObject({
      name: z.string().max(1000).describe('Its name in the trash, its id, key or path.'),
      kind: z
        .enum(['conversation', 'note', 'insight'])
        .describe('What was deleted.')
        .default('conversation'),
    }),
  output: () =>
    z.object({
      success,
      conversationId: z.string().describe('Of a conversation.').exactOptional(),
      droppedKey: z
        .string()
        .describe('The key that it lost, because another conversation has it now.')
        .exactOptional(),
      path: z.string().describe('Of a note or an insight.').exactOptional(),
    }),
  annotations: ADDS,
  async run({ name, kind }, { conversations, insights, memoryBank }) {
    if (kind === 'note') return { path: await memoryBank.restore(name) };
    if (kind === 'insight') return { path: await insights.restore(name) };
    return { ...(await conversations.restore(name)) };
  },
});
