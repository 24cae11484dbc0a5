/**
 * The tool `kg_stats`: how large the knowledge graph is, where it is, and what was found damaged.
 */
import { z } from 'zod';
import { defineTool, READS, success } from '../define-tool.js';

export const kgStats = defineTool({
  name: 'kg_stats',
  aliases: ['kg/stats'],
  toolset: 'kg',
  title: 'Size and health of the graph',
  description:
    'Shows how many facts the knowledge graph has and may have, its most used predicates, where its files are, and whether any line of them was found damaged.',
  input: () => z.strictObject({}),
  output: () =>
    z.object({
      success,
      open: z.number().int().describe('Facts that are true now.'),
      closed: z.number().int().describe('Facts that have ended.'),
      deletions: z
        .number()
        .int()
        .describe('Deletions that are stored, so that a merge in git keeps them.'),
      limit: z.number().int(),
      subjects: z.number().int(),
      objects: z.number().int(),
      predicates: z
        .array(z.object({ predicate: z.string(), facts: z.number().int() }))
        .describe('The most used ones.'),
      generation: z.number().int().describe('How often a snapshot was written.'),
      snapshotPath: z.string(),
      snapshotBytes: z.number().int(),
      walPath: z.string(),
      walBytes: z.number().int(),
      damagedLines: z.number().int().describe('Damaged lines in the files, which are ignored.'),
      notices: z.array(z.string()).describe('What was found when the files were read.'),
    }),
  annotations: READS,
  quotesText: true,
  async run(_input, { kg }) {
    const { predicates, notices, ...stats } = await kg.stats();
    return { ...stats, predicates: [...predicates], notices: [...notices] };
  },
});
