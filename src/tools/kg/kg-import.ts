/** The tool `kg_import`: imports facts from an export of Daybook or of the official MCP memory server. */
import { z } from 'zod';
import { AppError } from '../../base/errors.js';
import { LONG_OBSERVATIONS } from '../../exchange/graph/graph-format-names.js';
import { maskedField, maskedNoteOf } from '../answers/masked-note.js';
import { ADDS, defineTool, optionalText, success, type ToolCall } from '../define-tool.js';

const MAX_LISTED = 50;

export const kgImport = defineTool({
  name: 'kg_import',
  aliases: ['kg/import'],
  toolset: 'kg',
  title: 'Import facts',
  description:
    'Imports facts from JSON Lines of kg_export, or from the memory.jsonl of the official MCP memory server. Existing facts are not changed.',
  input: () =>
    z.strictObject({
      text: optionalText('The lines to import, instead of file.'),
      file: optionalText('Name of a file in the exports folder.'),
      longObservations: z
        .enum(LONG_OBSERVATIONS)
        .describe('Observations over 200 characters: refuse them, or store them as notes.')
        .default('refuse'),
    }),
  output: () =>
    z.object({
      success,
      format: z.enum(['jsonl', 'memory']).describe('Format of the lines.'),
      facts: z.int().describe('Number of facts in the text that can be stored.'),
      added: z.int().describe('Number of these facts that were new.'),
      notesAdded: z.int(),
      notes: z.array(z.string()).describe('Paths of the new notes (at most 50).'),
      refusedTotal: z.int().describe('Number of entries that were not imported.'),
      refused: z
        .array(z.object({ line: z.int(), code: z.string(), reason: z.string() }))
        .describe('These entries with the reason (at most 50).'),
      note: maskedField,
      unknownFields: z
        .array(z.object({ name: z.string(), lines: z.int().describe('Lines that have it.') }))
        .describe('Fields that were not imported, because facts have no such field (at most 50).'),
    }),
  annotations: { ...ADDS, idempotentHint: true },
  async run({ text, file, longObservations }, { graphImport }, { signal, progress }) {
    if ((text === undefined) === (file === undefined)) {
      throw new AppError('VALIDATION_ERROR', 'Give either `text` or `file`.');
    }
    const given = text ?? (await graphImport.readFile(file ?? ''));
    const { notes, refused, masked, ...counts } = await graphImport.import({
      text: given,
      longObservations,
      signal,
      onProgress: throttled(progress),
    });
    return {
      ...counts,
      notesAdded: notes.length,
      notes: notes.slice(0, MAX_LISTED),
      refusedTotal: refused.length,
      refused: refused.slice(0, MAX_LISTED),
      ...maskedNoteOf(masked),
    };
  },
});

/** Reports progress in steps of 1 %, because a large import has thousands of steps. */
function throttled(progress: ToolCall['progress']) {
  let last = 0;
  return (done: number, total: number) => {
    const percent = Math.floor((100 * done) / total);
    if (percent > last) progress({ progress: percent, total: 100 });
    last = percent;
  };
}
