/** The tool `list_insight_contexts`: lists the projects that have insights, with their number. */
import { z } from 'zod';
import { defineTool, READS, success } from '../define-tool.js';

export const listInsightContexts = defineTool({
  name: 'list_insight_contexts',
  toolset: 'admin',
  title: 'Projects that have insights',
  description: 'Lists the projects (contexts) by number of insights. Expired ones do not count.',
  input: () => z.strictObject({}),
  output: () =>
    z.object({
      success,
      contexts: z.array(z.object({ context: z.string(), insights: z.int() })),
    }),
  annotations: READS,
  quotesText: true,
  async run(_input, { insights }) {
    const counts = [...(await insights.contexts())].sort(([, a], [, b]) => b - a);
    return { contexts: counts.map(([context, count]) => ({ context, insights: count })) };
  },
});
