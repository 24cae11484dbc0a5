/** The tool `list_insight_contexts`: lists the projects that have insights, with their number. */
import { z } from 'zod';
import { defineTool, READS, success } from '../define-tool.js';

export const listInsightContexts = defineTool({
  name: 'list_insight_contexts',
  toolset: 'admin',
  title: 'Projects that have insights',
  description:
    'Lists the projects (contexts) that have insights, those with the most insights first.',
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
