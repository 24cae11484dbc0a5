/** The tool `mb_list`: lists the notes of the memory bank in order of path, with size, time and hash. */
import { z } from 'zod';
import { shortened } from '../../base/text/display-text.js';
import { isBelow } from '../../stores/memory-bank/note-path.js';
import { countsWithin, maxTokens } from '../answers/answer-budget.js';
import { nextPage, pagination } from '../answers/offset-page.js';
import { defineTool, optionalText, READS, success } from '../define-tool.js';
import {
  noteFolder,
  noteSchema,
  skippedSchema,
  toListedNote,
  toSkipped,
} from '../fields/note-fields.js';

export const mbList = defineTool({
  name: 'mb_list',
  aliases: ['mb/list'],
  toolset: 'memory_bank',
  title: 'List notes',
  description:
    'Lists the Markdown notes of the memory bank, which people can edit too. Search their text with mb_search; read a note with mb_read.',
  input: () =>
    z.strictObject({
      folder: noteFolder,
      limit: z.int().min(1).max(1000).describe('Maximum number of notes.').default(100),
      offset: z.int().min(0).describe('Number of notes to skip.').default(0),
      maxTokens,
    }),
  output: () =>
    z.object({
      success,
      total: z.int().describe('Number of notes on all pages.'),
      ...nextPage,
      note: optionalText('Why the list is empty.'),
      files: z.array(noteSchema),
      skipped: skippedSchema.exactOptional(),
    }),
  annotations: READS,
  quotesText: true,
  async run({ folder, limit, offset, maxTokens: budget }, { memoryBank }) {
    await memoryBank.refresh();
    const isWanted = ({ path }: { path: string }) => isBelow(path, folder);
    const notes = memoryBank.known().filter(isWanted).map(toListedNote);
    const page = notes.slice(offset, offset + limit);
    const unreadable = toSkipped(memoryBank.skipped().filter(isWanted));
    const kept = countsWithin({ files: page, skipped: unreadable }, budget);
    const files = page.slice(0, kept['files']);
    const skipped = unreadable.slice(0, kept['skipped']);
    return {
      ...pagination(notes.length, offset, files.length),
      ...(notes.length === 0 && folder !== undefined && { note: emptyFolder(folder) }),
      files,
      ...(skipped.length > 0 && { skipped }),
    };
  },
});

const emptyFolder = (folder: string) =>
  `No note is in or below the folder ${JSON.stringify(shortened(folder))}. Without \`folder\`, all notes are listed.`;
