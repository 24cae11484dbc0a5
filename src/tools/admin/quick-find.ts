/**
 * The tool `quick_find`: finds conversations, notes, headings, insights and subjects of the knowledge
 * graph by name. The command `daybook find` returns the same results.
 */
import { z } from 'zod';
import { shortened } from '../../base/text/display-text.js';
import { ENTRY_KINDS, MATCH_FIELDS } from '../../search/search-names.js';
import { defineTool, READS, success } from '../define-tool.js';

export const quickFind = defineTool({
  name: 'quick_find',
  toolset: 'admin',
  title: 'Find by name',
  description:
    'Finds conversations, notes, headings, insights and subjects of the knowledge graph by words of their names; beginnings of words and small typing errors are allowed. To search the text of messages, use search_messages.',
  input: () =>
    z.strictObject({
      query: z.string().min(1).max(1000).describe('Words of the name.'),
      kinds: z
        .array(z.enum(ENTRY_KINDS))
        .min(1)
        .describe('Only results of these kinds; note includes heading.')
        .exactOptional(),
      limit: z.int().min(1).max(100).describe('Maximum number of results.').default(20),
    }),
  output: () =>
    z.object({
      success,
      total: z.int(),
      hits: z.array(
        z.object({
          kind: z.enum(ENTRY_KINDS),
          id: z.string().describe('For a note its path; for a heading path:line.'),
          title: z.string(),
          matches: z
            .array(z.object({ field: z.enum(MATCH_FIELDS), text: z.string() }))
            .describe('The fields in which words of the query were found; at most 20 tags.'),
        }),
      ),
      suggestions: z.array(z.string()).describe('If nothing was found: similar names.'),
    }),
  annotations: READS,
  quotesText: true,
  async run({ query, kinds, limit }, app) {
    const found = await app.quickFind.find(query, { limit, ...(kinds && { kinds }) });
    return {
      total: found.total,
      hits: found.hits.map(({ entry: { kind, id, title }, matches }) => ({
        kind,
        id,
        title: shortened(title),
        matches: matches.map(({ field, text }) => ({ field, text: shortened(text) })),
      })),
      suggestions: [...found.suggestions],
    };
  },
});
