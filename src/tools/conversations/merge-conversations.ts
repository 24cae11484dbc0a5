/**
 * The tool `merge_conversations`: two conversations become one, in the order of time; the two stay
 * in the trash.
 */
import { z } from 'zod';
import { conversationRef, headSchema, toListed } from '../conversation-input.js';
import { defineTool, REMOVES, success } from '../define-tool.js';

export const mergeConversations = defineTool({
  name: 'merge_conversations',
  toolset: 'conversations',
  title: 'Merge two conversations',
  description:
    'Makes one new conversation of two: it has all messages in the order of their times and the tags of both; title, module and key come from the first one if it has them. Both are moved to the trash, from which the user can restore them. If a step fails, nothing is changed.',
  input: () =>
    z.strictObject({
      conversationIds: z
        .array(conversationRef('One of the two conversations'))
        .length(2)
        .describe('Ids or keys of the two conversations.'),
      title: z
        .string()
        .min(1)
        .max(1000)
        .describe('Title of the merged conversation.')
        .exactOptional(),
    }),
  output: () =>
    z.object({
      success,
      ...headSchema.shape,
      mergedFrom: z
        .array(z.object({ trashName: z.string(), trashPath: z.string() }))
        .describe('Present paths of the two conversations.'),
      conversationPath: z.string(),
    }),
  annotations: REMOVES,
  async run(
    { conversationIds: [first = '', second = ''], ...options },
    { conversations },
    { signal },
  ) {
    const { head, trashed } = await conversations.merge(first, second, { ...options, signal });
    return {
      ...toListed(head),
      mergedFrom: trashed.map(({ name, path }) => ({ trashName: name, trashPath: path })),
      conversationPath: conversations.path(head.conversationId),
    };
  },
});
