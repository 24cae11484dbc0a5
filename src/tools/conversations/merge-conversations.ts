/** The tool `merge_conversations`: makes one conversation of two, and moves the two to the trash. */
import { z } from 'zod';
import { undefinedIfUnreadable } from '../../base/errors.js';
import { objectsIn } from '../../base/json-fields.js';
import { maskedField, noteBetween } from '../answers/masked-note.js';
import { defineTool, REMOVES, success } from '../define-tool.js';
import { headSchema, newTitle, titled, toListed } from '../fields/conversation-input.js';

export const mergeConversations = defineTool({
  name: 'merge_conversations',
  toolset: 'conversations',
  title: 'Merge two conversations',
  description:
    'Merges two conversations into a new one, with all messages in order of time and the tags of both. Module, key and given title come from the first one that has them. The two are moved to the trash, from which the user can restore them.',
  input: () =>
    z.strictObject({
      conversationIds: z
        .array(z.string())
        .length(2)
        .describe('Ids or keys of the two conversations.'),
      title: newTitle.describe('Title of the merged conversation.').exactOptional(),
    }),
  output: () =>
    z.object({
      success,
      ...headSchema.shape,
      mergedFrom: z
        .array(z.object({ trashName: z.string(), trashPath: z.string() }))
        .describe('Present paths of the two conversations.'),
      conversationPath: z.string(),
      note: maskedField,
    }),
  annotations: REMOVES,
  async run(
    { conversationIds: [first = '', second = ''], title },
    { conversations, state },
    { signal },
  ) {
    const { head, trashed } = await conversations.merge(first, second, {
      ...titled(title),
      signal,
    });
    const active = (await undefinedIfUnreadable(state.get()))?.activeConversation;
    const sources = objectsIn(head.metadata?.['mergedFrom']).slice(-2);
    const isSource = sources.some((each) =>
      [each['conversationId'], each['clientId']].includes(active),
    );
    if (active !== undefined && isSource && active !== head.clientId) {
      // The merge is done, so an error of the state must not be its answer.
      await undefinedIfUnreadable(state.set({ activeConversation: head.conversationId }));
    }
    return {
      ...toListed(head),
      mergedFrom: trashed.map(({ name, path }) => ({ trashName: name, trashPath: path })),
      conversationPath: conversations.path(head.conversationId),
      ...noteBetween(title, title && head.title),
    };
  },
});
