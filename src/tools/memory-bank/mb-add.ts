/** The tool `mb_add`: writes a new note. */
import { z } from 'zod';
import { maskedField, maskedNoteOf } from '../answers/masked-note.js';
import { ADDS, defineTool, success } from '../define-tool.js';
import { notePath, noteSchema } from '../fields/note-fields.js';

export const mbAdd = defineTool({
  name: 'mb_add',
  aliases: ['mb/add'],
  toolset: 'memory_bank',
  title: 'Write a new note',
  description:
    'Writes a new Markdown note of at most 32 KB and creates its folders. An existing note is never overwritten: change it with mb_edit.',
  input: () =>
    z.strictObject({
      path: notePath('Path of the new note, such as ideas/garden.md.'),
      content: z.string().describe('The text in Markdown.'),
    }),
  output: () => z.object({ success, ...noteSchema.shape, note: maskedField }),
  annotations: ADDS,
  writesLater: true,
  async run({ path, content }, { memoryBank }) {
    const { masked, ...info } = await memoryBank.add(path, content, { mayDefer: true });
    return { ...info, ...maskedNoteOf(masked) };
  },
});
