/** The tool `list_insights`: the insights of one context, the newest first. */

import { z } from 'zod';
import type { InsightSelection, InsightStore } from '../../stores/insights/insights.js';
import { contextsOf } from '../../stores/insights/project-contexts.js';
import { countWithin, maxTokens } from '../answers/answer-budget.js';
import {
  contextField,
  explainEmptyContext,
  explainLeftOut,
  type LeftOut,
  listedSchema,
  tagsFilter,
  toListed,
} from '../answers/insight-view.js';
import { nextPage, pagination } from '../answers/offset-page.js';
import { defineTool, flag, optionalText, READS, success } from '../define-tool.js';

export const listInsights = defineTool({
  name: 'list_insights',
  aliases: ['list-insights'],
  toolset: 'insights',
  title: 'List insights',
  description:
    'Lists the insights of one project, the newest first. Use it when work on a project starts.',
  input: () =>
    z.strictObject({
      context: contextField,
      tags: tagsFilter,
      includeExpired: flag('Also insights that have expired.'),
      limit: z.int().min(1).max(100).describe('Maximum number of insights.').default(20),
      offset: z.int().min(0).describe('Number of insights to skip.').default(0),
      maxTokens,
    }),
  output: () =>
    z.object({
      success,
      context: z.string().describe('The project of these insights.'),
      total: z.int().describe('Number of insights on all pages.'),
      ...nextPage,
      results: z.array(listedSchema),
      explanation: optionalText('The reason if the list is empty.'),
    }),
  annotations: READS,
  quotesText: true,
  async run({ context: given, limit, offset, maxTokens: budget, ...filters }, { insights }, call) {
    const { context, alsoIn } = await contextsOf(given, call, insights);
    const selection = { context, alsoIn, ...filters };
    const found = await insights.list(selection);
    const page = found.slice(offset, offset + limit).map(toListed);
    const results = page.slice(0, countWithin(page, budget));
    return {
      context,
      ...pagination(found.length, offset, results.length),
      results,
      ...(found.length === 0 && {
        explanation:
          explainLeftOut(await leftOut(insights, selection)).join(' ') ||
          (await explainEmptyContext(context, call, insights)),
      }),
    };
  },
});

async function leftOut(store: InsightStore, selection: InsightSelection): Promise<LeftOut> {
  const { tags, ...untagged } = selection;
  const count = async (other: InsightSelection) => (await store.list(other)).length;
  return {
    ...(tags !== undefined && { tags: await count(untagged) }),
    includeExpired: await count({ ...selection, includeExpired: true }),
  };
}
