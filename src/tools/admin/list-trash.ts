/** The tool `list_trash`: the deleted conversations that can be brought back. */
import { z } from 'zod';
import { shortened } from '../../base/shortened.js';
import type { TrashedConversation } from '../../stores/conversations/conversations.js';
import { defineTool, READS, success } from '../define-tool.js';

export const listTrash = defineTool({
  name: 'list_trash',
  toolset: 'admin',
  title: 'Deleted conversations',
  description:
    'Lists the conversations in the trash, the last deleted first. Bring one back with restore_conversation.',
  input: z.strictObject({
    limit: z.number().int().min(1).max(100).describe('Most to give.').default(50),
  }),
  output: z.object({
    success,
    total: z.number().int(),
    conversations: z.array(
      z.object({
        name: z.string().describe('Its name in the trash.'),
        conversationId: z.string(),
        title: z.string().exactOptional(),
        deletedAt: z.string().exactOptional(),
      }),
    ),
  }),
  annotations: READS,
  quotesText: true,
  async run({ limit }, { conversations }) {
    const trashed = await conversations.trashed();
    return { total: trashed.length, conversations: trashed.slice(0, limit).map(toListed) };
  },
});

function toListed({ name, conversationId, title, deletedAt }: TrashedConversation) {
  return {
    ...{ name, conversationId },
    ...(title !== undefined && { title: shortened(title) }),
    ...(deletedAt !== undefined && { deletedAt }),
  };
}
