/** The tool `kg_import`: facts from an export of Daybook or of the official MCP memory server. */
import { z } from 'zod';
import { AppError } from '../../base/errors.js';
import { LONG_OBSERVATIONS } from '../../exchange/graph-formats.js';
import { ADDS, defineTool, success } from '../define-tool.js';

const MOST_NAMED = 50;

export const kgImport = defineTool({
  name: 'kg_import',
  aliases: ['kg/import'],
  toolset: 'kg',
  title: 'Import facts',
  description:
    'Imports facts into the knowledge graph: JSON Lines of kg_export, or the memory.jsonl of the official MCP memory server. Existing facts are not changed. Observations longer than 200 characters are refused, or with longObservations: notes stored as notes of the memory bank.',
  input: () =>
    z.strictObject({
      text: z.string().describe('The lines to import, or give file.').exactOptional(),
      file: z.string().describe('Name of a file in the exports folder.').exactOptional(),
      longObservations: z
        .enum(LONG_OBSERVATIONS)
        .describe('What to do with observations over 200 characters.')
        .default('refuse'),
    }),
  output: () =>
    z.object({
      success,
      format: z.enum(['jsonl', 'memory']).describe('Format of the lines.'),
      facts: z.number().int().describe('Number of facts in the text that can be stored.'),
      added: z.number().int().describe('Number of these facts that were new.'),
      notesAdded: z.number().int(),
      notes: z.array(z.string()).describe('Paths of the new notes (at most 50).'),
      refusedTotal: z.number().int().describe('Number of entries that were not imported.'),
      refused: z
        .array(z.object({ line: z.number().int(), code: z.string(), reason: z.string() }))
        .describe('These entries with the reason (at most 50).'),
    }),
  annotations: { ...ADDS, idempotentHint: true },
  async run({ text, file, longObservations }, { graphImport }, { signal, progress }) {
    if ((text === undefined) === (file === undefined)) {
      throw new AppError('VALIDATION_ERROR', 'Give either `text` or `file`.');
    }
    const given = text ?? (await graphImport.readFile(file ?? ''));
    const { notes, refused, ...counts } = await graphImport.import({
      text: given,
      longObservations,
      signal,
      onProgress: throttled(progress),
    });
    return {
      ...counts,
      notesAdded: notes.length,
      notes: notes.slice(0, MOST_NAMED),
      refusedTotal: refused.length,
      refused: refused.slice(0, MOST_NAMED),
    };
  },
});

/** Steps of a hundredth: an import of a million lines has thousands. */
function throttled(progress: (report: { progress: number; total: number }) => void) {
  let last = 0;
  return (done: number, total: number) => {
    const percent = Math.floor((100 * done) / total);
    if (percent > last) progress({ progress: percent, total: 100 });
    last = percent;
  };
}
