/** The tool `list_trash`: lists deleted conversations, notes and insights that can be restored. */
import { z } from 'zod';
import { defined } from '../../base/json.js';
import { shownNames } from '../../base/text/display-text.js';
import type { TrashedItem } from '../../maintenance/trash-bin.js';
import type { TrashedConversation } from '../../stores/conversations/conversations.js';
import { defineTool, optionalText, READS, success } from '../define-tool.js';

export const listTrash = defineTool({
  name: 'list_trash',
  toolset: 'admin',
  title: 'What was deleted',
  description:
    'Lists the conversations, notes and insights in the trash, most recently deleted first. Restore one with restore_conversation.',
  input: () =>
    z.strictObject({
      limit: z.int().min(1).max(100).describe('Maximum length of each list.').default(50),
    }),
  output: () =>
    z.object({
      success,
      total: z.int().describe('Number of conversations in the trash.'),
      conversations: z.array(
        z.object({
          name: z.string().describe('Name in the trash.'),
          conversationId: z.string(),
          title: z.string().exactOptional(),
          deletedAt: z.string().exactOptional(),
        }),
      ),
      others: z.array(
        z.object({
          kind: z.enum(['note', 'insight']),
          name: z.string(),
          title: optionalText('Path of the note, or first line of the insight.'),
          deletedAt: z.string().exactOptional(),
        }),
      ),
      othersTotal: z.int(),
    }),
  annotations: READS,
  quotesText: true,
  needsStore: () => true,
  async run({ limit }, { conversations, trash }) {
    const trashed = await conversations.trashed();
    const others = (await trash.list()).flatMap(toOther);
    return {
      total: trashed.length,
      conversations: trashed.slice(0, limit).map(toListed),
      others: others.slice(0, limit),
      othersTotal: others.length,
    };
  },
});

function toListed({ name, conversationId, title, deletedAt }: TrashedConversation) {
  return defined({ name, conversationId, ...shownNames({ title }), deletedAt });
}

function toOther({ kind, name, title, deletedAt }: TrashedItem) {
  if (kind === 'conversation') return [];
  return [defined({ kind, name, ...shownNames({ title }), deletedAt })];
}
