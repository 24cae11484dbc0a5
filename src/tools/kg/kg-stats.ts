/** The tool `kg_stats`: returns the size of the knowledge graph, its paths, and its damaged lines. */
import { z } from 'zod';
import { defineTool, READS, success } from '../define-tool.js';

export const kgStats = defineTool({
  name: 'kg_stats',
  aliases: ['kg/stats'],
  toolset: 'kg',
  title: 'Size and health of the graph',
  description:
    'Shows the number of facts and the limit of the knowledge graph, its most used predicates, the paths of its files, and whether they have damaged lines.',
  input: () => z.strictObject({}),
  output: () =>
    z.object({
      success,
      open: z.int().describe('Number of facts that are true now.'),
      closed: z.int().describe('Number of facts that have ended.'),
      deletions: z
        .int()
        .describe(
          'Number of stored deletions. They are stored so that a merge in git does not undo them.',
        ),
      limit: z.int(),
      subjects: z.int(),
      objects: z.int(),
      predicates: z
        .array(z.object({ predicate: z.string(), facts: z.int() }))
        .describe('The most used predicates.'),
      generation: z.int().describe('Number of snapshots written so far.'),
      snapshotPath: z.string(),
      snapshotBytes: z.int(),
      walPath: z.string(),
      walBytes: z.int(),
      damagedLines: z.int().describe('Number of damaged lines in the files. They are ignored.'),
      notices: z.array(z.string()).describe('Problems found when the files were read.'),
    }),
  annotations: READS,
  quotesText: true,
  async run(_input, { kg }) {
    const { predicates, notices, isDamaged: _, ...stats } = await kg.stats();
    return { ...stats, predicates: [...predicates], notices: [...notices] };
  },
});
