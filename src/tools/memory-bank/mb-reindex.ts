/** The tool `mb_reindex`: reads all notes again and rebuilds their index. */
import { z } from 'zod';
import { defineTool, READS, success } from '../define-tool.js';
import { skippedSchema, toSkipped } from '../fields/note-fields.js';

export const mbReindex = defineTool({
  name: 'mb_reindex',
  aliases: ['mb/reindex'],
  toolset: 'memory_bank',
  title: 'Rebuild the index of notes',
  description:
    'Reads every note again and rebuilds the index. Use it only when the results of mb_list or mb_search do not match the files.',
  input: () => z.strictObject({}),
  output: () =>
    z.object({
      success,
      files: z.int().describe('Number of notes in the index.'),
      sections: z.int().describe('Number of sections in the index.'),
      skipped: skippedSchema,
    }),
  annotations: READS,
  needsStore: () => true,
  async run(_input, { memoryBank, noteSearch }, { signal }) {
    const { notes, sections } = await noteSearch.rebuild(signal);
    return { files: notes, sections, skipped: toSkipped(memoryBank.skipped()) };
  },
});
