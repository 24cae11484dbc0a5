/** The tool `get_insight`: returns one insight by its id, of any context, also if it has expired. */
import { z } from 'zod';
import { deletedInsightNote } from '../../app/not-found-hints.js';
import { idField, insightSchema, toShown } from '../answers/insight-view.js';
import { joinedNote } from '../answers/masked-note.js';
import { defineTool, optionalText, READS, success } from '../define-tool.js';

export const getInsight = defineTool({
  name: 'get_insight',
  aliases: ['get-insight'],
  toolset: 'insights',
  title: 'Read an insight',
  description:
    'Returns one insight, also if it has expired. found: false means that the insight does not exist.',
  input: () => z.strictObject({ id: idField }),
  output: () =>
    z.object({
      success,
      found: z.boolean(),
      insight: insightSchema.exactOptional(),
      note: optionalText('How to restore the insight, if it was deleted.'),
    }),
  annotations: READS,
  quotesText: true,
  async run({ id }, app) {
    const insight = await app.insights.get(id);
    if (insight !== undefined) return { found: true, insight: toShown(insight) };
    return { found: false, ...joinedNote([await deletedInsightNote(app, id)]) };
  },
});
