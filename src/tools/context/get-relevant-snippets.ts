/** The tool `get_relevant_snippets`: the passages that answer a question, within a budget of tokens. */
import { z } from 'zod';
import { SNIPPET_STRATEGIES } from '../../context/snippets/strategies.js';
import { SEARCH_TIERS } from '../../search/recall/search-mode-names.js';
import { ROLES } from '../../stores/conversations/document/schema.js';
import { filtersOf } from '../conversations/search-messages.js';
import { dateField } from '../date-field.js';
import { defineTool, READS, success } from '../define-tool.js';
import { WHY } from '../why-view.js';

export const getRelevantSnippets = defineTool({
  name: 'get_relevant_snippets',
  toolset: 'context',
  title: 'Passages that answer a question',
  description:
    'Returns the passages of stored conversations that answer a question, the best first, within a budget of tokens. A passage with supersededBy no longer holds.',
  input: () =>
    z.strictObject({
      query: z.string().min(1).max(10_000).describe('The question, in plain words.'),
      maxTokens: z
        .number()
        .int()
        .min(50)
        .max(32_000)
        .describe('Budget of all texts.')
        .default(2_000),
      conversationId: z.string().describe('Only this conversation (id or key).').exactOptional(),
      module: z.string().max(1000).describe('Only this module.').exactOptional(),
      startDate: dateField('From this time on'),
      endDate: dateField('Up to this time'),
      strategy: z
        .enum(SNIPPET_STRATEGIES)
        .describe(
          'temporal: in order of time, over the whole span. entity: names and numbers first. topical: words alone.',
        )
        .default('hybrid'),
    }),
  output: () =>
    z.object({
      success,
      tokensUsed: z.number().int().describe('Counted with o200k.'),
      omitted: z.number().int().describe('Passages that were found but did not fit.'),
      tier: z.enum(SEARCH_TIERS).describe('How it was searched.'),
      snippets: z.array(
        z.object({
          conversationId: z.string(),
          messageId: z.string(),
          seq: z.number().int(),
          role: z.enum(ROLES),
          createdAt: z.string(),
          text: z.string(),
          tokens: z.number().int(),
          score: z.number(),
          why: WHY,
          supersededBy: z
            .object({ conversationId: z.string(), messageId: z.string() })
            .describe('A later passage that replaces this one.')
            .exactOptional(),
        }),
      ),
    }),
  annotations: READS,
  quotesText: true,
  async run(input, { conversations, relevantSnippets }, { signal, progress }) {
    const { query, maxTokens, strategy } = input;
    const idOf = async (ref: string) => (await conversations.load(ref)).conversationId;
    const filters = await filtersOf(input, idOf);
    const request = { query, maxTokens, strategy, filters };
    const found = await relevantSnippets.find(request, { signal, progress });
    const { tokensUsed, omitted, tier } = found;
    return { tokensUsed, omitted, tier, snippets: [...found.snippets] };
  },
});
