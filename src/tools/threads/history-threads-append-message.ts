/**
 * The tool `history_threads_append_message`: adds a message to a thread. It is durable when the call
 * returns, except if the answer has `durable: false`.
 */
import { z } from 'zod';
import { AppError } from '../../base/errors.js';
import { ROLES } from '../../stores/conversations/document/schema.js';
import { fitsModule } from '../../stores/modules.js';
import { maskedField, maskedNoteOf } from '../answers/masked-note.js';
import { moduleField, notInModule, threadIdField } from '../answers/thread-view.js';
import { ADDS, defineTool, success } from '../define-tool.js';
import { messageContent } from '../fields/conversation-input.js';
import { storedJsonObject } from '../fields/json-object.js';

export const historyThreadsAppendMessage = defineTool({
  name: 'history_threads_append_message',
  aliases: ['odei.history.threads.appendMessage.v1'],
  toolset: 'threads',
  writesLater: true,
  title: 'Add a message to a thread',
  description:
    'Adds one message to a thread and returns when it is on the disk (otherwise with durable: false). Give the text as body or as content.',
  input: () =>
    z.strictObject({
      threadId: threadIdField,
      module: moduleField.describe('Add it only if the thread is in this module.').exactOptional(),
      role: z.enum(ROLES).describe('Who wrote it.'),
      body: messageContent(
        'The message; it is stored as given, except secrets and <private> parts.',
      ).exactOptional(),
      content: messageContent('Another name for body.').exactOptional(),
      metadata: storedJsonObject('JSON to store with the message.').exactOptional(),
    }),
  output: () =>
    z.object({
      success,
      id: z.string().describe('Id of the message.'),
      seq: z.int().describe('Position of the message in the thread, from 1.'),
      threadId: z.string(),
      createdAt: z.string(),
      messageCount: z.int(),
      note: maskedField,
    }),
  annotations: ADDS,
  async run({ threadId, module, role, body, content, metadata }, { conversations }) {
    const text = oneOf(body, content);
    const message = { role, content: text, ...(metadata !== undefined && { metadata }) };
    const { head, messages, seq, masked } = await conversations.append(threadId, [message], {
      mayDefer: true,
      skipIf: (current) => !fitsModule(current.module, module),
    });
    const [saved] = messages;
    if (saved === undefined) throw notInModule(head, module);
    const { id, createdAt } = saved;
    const { conversationId, messageCount } = head;
    return { id, seq, threadId: conversationId, createdAt, messageCount, ...maskedNoteOf(masked) };
  },
});

function oneOf(body: string | undefined, content: string | undefined): string {
  const text = body ?? content;
  if (text !== undefined && (body === undefined || content === undefined)) return text;
  throw new AppError('VALIDATION_ERROR', 'Give the text either as `body` or as `content`.', {
    details: { fields: ['body', 'content'] },
  });
}
