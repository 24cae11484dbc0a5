/** The tool `delete_conversation`: moves a conversation to the trash, or removes it permanently. */

import { z } from 'zod';
import { deletedAs, purgeDeleted } from '../../app/purge-deleted.js';
import { defineTool, REMOVES, success } from '../define-tool.js';
import { conversationRef } from '../fields/conversation-input.js';
import { permanentField, trashNameField, trashPathField } from '../fields/trash-fields.js';

export const deleteConversation = defineTool({
  name: 'delete_conversation',
  toolset: 'conversations',
  title: 'Delete a conversation',
  description:
    'Moves a conversation to the trash, from which the user can restore it; use permanent only when the user asks for it. It is refused while a deep research runs in the conversation.',
  input: () =>
    z.strictObject({
      conversationId: conversationRef(),
      permanent: permanentField,
    }),
  output: () =>
    z.object({
      success,
      conversationId: z.string(),
      deleted: z.boolean(),
      permanent: z.boolean(),
      trashName: trashNameField,
      trashPath: trashPathField,
    }),
  annotations: REMOVES,
  async run({ conversationId: ref, permanent }, app) {
    const { conversations } = app;
    if (permanent) {
      const deleted = await deletedAs(app, ref);
      await purgeDeleted(app, deleted);
      const [{ conversationId } = {}] = deleted;
      if (conversationId !== undefined) return { conversationId, deleted: true, permanent };
      return { conversationId: await conversations.remove(ref), deleted: true, permanent };
    }
    const { conversationId, name, path } = await conversations.trash(ref);
    return { conversationId, deleted: true, permanent, trashName: name, trashPath: path };
  },
});
