/** The tool `history_threads_create`: an empty thread, which is a normal conversation. */
import { z } from 'zod';
import { maskedField, noteBetween } from '../answers/masked-note.js';
import { fieldsOfMeta, moduleField, threadSchema, toThread } from '../answers/thread-view.js';
import { ADDS, defineTool, success } from '../define-tool.js';
import { newTitle, titled } from '../fields/conversation-input.js';
import { storedJsonObject } from '../fields/json-object.js';

export const historyThreadsCreate = defineTool({
  name: 'history_threads_create',
  aliases: ['odei.history.threads.create.v1'],
  toolset: 'threads',
  writesLater: true,
  title: 'Start a thread',
  description:
    'Starts an empty thread (a conversation) in a module such as discuss, plan or execute. Add messages with history_threads_append_message.',
  input: () =>
    z.strictObject({
      module: moduleField.describe('Area of work of the thread.'),
      title: newTitle.describe('Subject of the thread.').exactOptional(),
      meta: storedJsonObject(
        'JSON to store with the thread; the list in its field tags sets the tags.',
      ).exactOptional(),
    }),
  output: () =>
    z.object({
      success,
      id: z.string(),
      createdAt: z.string(),
      thread: threadSchema,
      note: maskedField,
    }),
  annotations: ADDS,
  async run({ module, title, meta }, { conversations }) {
    const { messages: _, ...head } = await conversations.create({
      module,
      mayDefer: true,
      ...titled(title),
      ...fieldsOfMeta(meta),
    });
    return {
      id: head.conversationId,
      createdAt: head.createdAt,
      thread: toThread(head),
      ...noteBetween([module, title, meta], head),
    };
  },
});
