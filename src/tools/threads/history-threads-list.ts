/** The tool `history_threads_list`: lists the threads of one module or of all, most recently used first. */

import { z } from 'zod';
import { damagedNotes } from '../../stores/conversations/damaged-notes.js';
import { fitsModule, noSuchModule } from '../../stores/modules.js';
import { countWithin, maxTokens } from '../answers/answer-budget.js';
import { joinedNote } from '../answers/masked-note.js';
import { nextPage, pagination } from '../answers/offset-page.js';
import { moduleField, threadSchema, toThread } from '../answers/thread-view.js';
import { defineTool, optionalText, READS, success } from '../define-tool.js';

export const historyThreadsList = defineTool({
  name: 'history_threads_list',
  aliases: ['odei.history.threads.list.v1'],
  toolset: 'threads',
  title: 'List threads',
  description:
    'Lists all threads or the threads of one module, most recently used first. Read a thread with history_threads_get.',
  input: () =>
    z.strictObject({
      module: moduleField.describe('Only threads of this module.').exactOptional(),
      limit: z.int().min(1).max(100).describe('Maximum number of threads.').default(10),
      offset: z.int().min(0).describe('Number of threads to skip.').default(0),
      maxTokens,
    }),
  output: () =>
    z.object({
      success,
      total: z.int().describe('Number of threads on all pages.'),
      ...nextPage,
      note: optionalText('Why the list is empty or incomplete.'),
      threads: z.array(threadSchema),
    }),
  annotations: READS,
  quotesText: true,
  async run({ module, limit, offset, ...budget }, { conversations }) {
    const heads = await conversations.list();
    const own = heads.filter((head) => fitsModule(head.module, module));
    const page = own.slice(offset, offset + limit).map(toThread);
    const threads = page.slice(0, countWithin(page, budget.maxTokens));
    const notes = [
      own.length === 0 ? await noSuchModule(conversations, module) : undefined,
      ...damagedNotes(conversations),
    ];
    return { ...pagination(own.length, offset, threads.length), ...joinedNote(notes), threads };
  },
});
