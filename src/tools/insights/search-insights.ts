/**
 * The tool `search_insights`: full-text search in the insights of one context, with SQLite FTS5 syntax or
 * plain words. The results and their ranks do not depend on other contexts.
 */

import { z } from 'zod';
import { MATCH_TYPES } from '../../fts/query/match-type-names.js';
import type { InsightResults } from '../../search/insight-search.js';
import { contextsOf } from '../../stores/insights/project-contexts.js';
import { countWithin, maxTokens } from '../answers/answer-budget.js';
import {
  contextField,
  explainEmptyContext,
  explainLeftOut,
  listedSchema,
  tagsFilter,
  toListed,
} from '../answers/insight-view.js';
import { noneHas, TRY_PREFIX_OR_FUZZY, wordlessNote } from '../answers/no-results.js';
import { nextPage, pagination } from '../answers/offset-page.js';
import { MARK_FIELDS, marksOf, shortSnippet } from '../answers/search-answer.js';
import { defineTool, flag, optionalText, READS, success } from '../define-tool.js';

export const searchInsights = defineTool({
  name: 'search_insights',
  aliases: ['search-insights'],
  toolset: 'insights',
  title: 'Search insights',
  description:
    'Finds insights of one project by words of content, metadata and tags, best first, with snippets. The query is plain words or FTS5 syntax. search_memory also finds other forms of the words.',
  input: () =>
    z.strictObject({
      query: z.string().min(1).max(10_000).describe('Words, or an FTS5 query.'),
      context: contextField,
      matchType: z.enum(MATCH_TYPES).describe('As in search_messages.').default('auto'),
      tags: tagsFilter,
      includeExpired: flag('Also insights that have expired.'),
      limit: z.int().min(1).max(100).describe('Maximum number of results.').default(20),
      offset: z.int().min(0).describe('Number of results to skip.').default(0),
      ...MARK_FIELDS,
      maxTokens,
    }),
  output: () =>
    z.object({
      success,
      context: z.string().describe('The project whose insights were searched.'),
      total: z.int().describe('Number of matches on all pages.'),
      ...nextPage,
      relaxed: z
        .boolean()
        .describe('True if no insight has all of the words; the results have some of them.'),
      results: z.array(
        listedSchema.extend({
          snippet: z.string(),
          rank: z.number().describe('bm25() of FTS5: smaller is better.'),
        }),
      ),
      explanation: optionalText('The reason if nothing was found.'),
    }),
  annotations: READS,
  quotesText: true,
  async run(input, { insights, insightSearch }, call) {
    const { query, matchType, tags, includeExpired, limit, offset } = input;
    const { context, alsoIn } = await contextsOf(input.context, call, insights);
    const selection = { context, alsoIn, includeExpired, ...(tags !== undefined && { tags }) };
    const snippet = marksOf(input);
    const request = { query, matchType, limit, offset, ...selection, snippet };
    const found = await insightSearch.search(request, call.signal);
    const page = found.hits.map(({ insight, snippet: text, rank }) => ({
      ...toListed(insight),
      snippet: shortSnippet(text, input),
      rank,
    }));
    const results = page.slice(0, countWithin(page, input.maxTokens));
    return {
      context,
      ...pagination(found.total, offset, results.length),
      relaxed: found.relaxed,
      results,
      ...(found.total === 0 && {
        explanation:
          found.inContext === 0
            ? await explainEmptyContext(context, call, insights)
            : explain(found, input),
      }),
    };
  },
});

function explain(
  { unknownWords, otherwise }: InsightResults,
  { query, matchType }: { readonly query: string; readonly matchType: string },
): string {
  const parts = [
    ...(unknownWords.length > 0 ? [noneHas('insight of this context', unknownWords, query)] : []),
    ...(unknownWords.length > 0 && matchType === 'auto' ? [TRY_PREFIX_OR_FUZZY] : []),
    ...explainLeftOut(otherwise),
  ];
  if (parts.length > 0) return parts.join(' ');
  return wordlessNote(query) ?? 'No insight of this context matches the whole query.';
}
