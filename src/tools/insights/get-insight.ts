/** The tool `get_insight`: returns one insight by its id, of any context, also if it has expired. */
import { z } from 'zod';
import { defineTool, READS, success } from '../define-tool.js';
import { idField, insightSchema, toShown } from '../insight-view.js';

export const getInsight = defineTool({
  name: 'get_insight',
  aliases: ['get-insight'],
  toolset: 'insights',
  title: 'Read an insight',
  description:
    'Returns one insight, also if it has expired. found: false means that the insight does not exist.',
  input: () => z.strictObject({ id: idField }),
  output: () => z.object({ success, found: z.boolean(), insight: insightSchema.exactOptional() }),
  annotations: READS,
  quotesText: true,
  async run({ id }, { insights }) {
    const insight = await insights.get(id);
    return { found: insight !== undefined, ...(insight && { insight: toShown(insight) }) };
  },
});
