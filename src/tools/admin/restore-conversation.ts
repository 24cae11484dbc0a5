/** The tool `restore_conversation`: restores a conversation, note or insight from the trash. */
import { z } from 'zod';
import { AppError, isAppError } from '../../base/errors.js';
import { ADDS, defineTool, optionalText, success } from '../define-tool.js';

export const restoreConversation = defineTool({
  name: 'restore_conversation',
  toolset: 'admin',
  title: 'Restore from the trash',
  description:
    'Restores a conversation (or a note or an insight, with kind) from the trash, by its name in list_trash or by its id. Nothing is overwritten.',
  input: () =>
    z.strictObject({
      name: z
        .string()
        .max(1000)
        .describe(
          'Name in the trash, id, key or path; of several with this id, the last deleted one.',
        ),
      kind: z
        .enum(['conversation', 'note', 'insight'])
        .describe('What was deleted.')
        .default('conversation'),
    }),
  output: () =>
    z.object({
      success,
      conversationId: optionalText('Id of the restored conversation.'),
      droppedKey: optionalText(
        'The key that was removed, because another conversation has it now.',
      ),
      path: optionalText('Path of the restored note or insight.'),
    }),
  annotations: ADDS,
  async run({ name, kind }, { conversations, insights, memoryBank }) {
    if (kind === 'note') return { path: await memoryBank.restore(name) };
    if (kind === 'insight') return { path: await insights.restore(name) };
    try {
      return { ...(await conversations.restore(name)) };
    } catch (error) {
      if (!isAppError(error, 'CONVERSATION_NOT_FOUND', 'VALIDATION_ERROR')) throw error;
      throw new AppError('CONVERSATION_NOT_FOUND', `${name} is not a conversation in the trash.`, {
        hint: 'Use a name from `list_trash`. For a note or an insight, also give `kind`.',
        details: { conversationId: name },
      });
    }
  },
});
