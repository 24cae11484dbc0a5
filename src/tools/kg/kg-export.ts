/** The tool `kg_export`: returns the knowledge graph as text, or writes it to a file. */
import { z } from 'zod';
import { GRAPH_FORMATS } from '../../exchange/graph/graph-format-names.js';
import { estimateTokens, maxTokens, OVERHEAD_TOKENS } from '../answers/answer-budget.js';
import { nextPage } from '../answers/offset-page.js';
import { ADDS, defineTool, factsThenText, optionalText, success } from '../define-tool.js';
import { explainNoFacts } from './kg-query.js';

const MAX_MISSING = 20;

export const kgExport = defineTool({
  name: 'kg_export',
  aliases: ['kg/export'],
  toolset: 'kg',
  title: 'Export facts',
  description:
    'Returns the knowledge graph as text, or with file writes it to the exports folder. jsonl is complete, for kg_import; memory is the format of the official MCP memory server; mermaid is a diagram.',
  input: () =>
    z.strictObject({
      format: z.enum(GRAPH_FORMATS).describe('Format of the text.').default('jsonl'),
      subject: optionalText('Only facts of this subject.'),
      predicate: optionalText('Only facts of this predicate.'),
      text: optionalText('Only facts that have all of these words.'),
      file: optionalText('Name of a new file in the exports folder.'),
      offset: z.int().min(0).describe('Number of lines to skip; not with file.').default(0),
      maxTokens,
    }),
  output: () =>
    z.object({
      success,
      lines: z.int().describe('Number of facts in this text or file.'),
      ...nextPage,
      path: optionalText('The file that was written.'),
      sizeBytes: z.int(),
      note: optionalText('Why the export is empty.'),
      missingNotes: z
        .array(z.string())
        .describe(
          'Notes that cannot be read. The long observations in them are not in the export (at most 20 are named).',
        )
        .exactOptional(),
      missingNotesTotal: z.int().exactOptional(),
      text: z.string().exactOptional(),
    }),
  annotations: ADDS,
  quotesText: true,
  needsStore: ({ file }) => file !== undefined,
  async run(
    { format, file, offset, maxTokens: budget, ...filter },
    { graphExport, kg },
    { signal, progress },
  ) {
    const onProgress = (facts: number) => progress({ progress: facts });
    const noteIf = async (isEmpty: boolean) =>
      isEmpty ? { note: await explainNoFacts(kg, { ...filter, includeClosed: true }) } : {};
    const request = { format, filter, signal, onProgress };
    if (file !== undefined) {
      const { missingNotes, ...written } = await graphExport.toFile(file, request);
      return {
        hasMore: false,
        ...written,
        ...(await noteIf(written.lines === 0)),
        ...named(missingNotes),
      };
    }
    const room = { max: budget - OVERHEAD_TOKENS, measure: estimateTokens };
    const { missingNotes, ...page } = await graphExport.toText(request, offset, room);
    const sizeBytes = Buffer.byteLength(page.text);
    const note = await noteIf(page.lines === 0 && offset === 0);
    const hasMore = page.nextOffset !== undefined;
    return { hasMore, sizeBytes, ...page, ...note, ...named(missingNotes) };
  },
  text: factsThenText,
});

const named = (missingNotes: readonly string[]) =>
  missingNotes.length > 0
    ? {
        missingNotes: missingNotes.slice(0, MAX_MISSING),
        missingNotesTotal: missingNotes.length,
      }
    : {};
