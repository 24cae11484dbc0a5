/** The tool `get_relevant_snippets`: returns the passages that answer a question, within `maxTokens`. */

import { z } from 'zod';
import { notIncluded } from '../../app/not-found-hints.js';
import { SNIPPET_STRATEGIES } from '../../context/snippets/strategy-names.js';
import { SEARCH_TIERS } from '../../search/search-names.js';
import { damagedNotes } from '../../stores/conversations/damaged-notes.js';
import { ROLES } from '../../stores/conversations/document/schema.js';
import { noSuchModule } from '../../stores/modules.js';
import { joinedNote } from '../answers/masked-note.js';
import { emptyTimeNote, wordlessNote } from '../answers/no-results.js';
import { whySchema } from '../answers/search-answer.js';
import { filtersOf } from '../conversations/search-messages.js';
import { defineTool, optionalText, READS, success } from '../define-tool.js';
import { dateField } from '../fields/date-field.js';

export const getRelevantSnippets = defineTool({
  name: 'get_relevant_snippets',
  toolset: 'context',
  title: 'Passages that answer a question',
  description:
    'Returns the passages of stored conversations that answer a question, the best first, within a budget of tokens. A passage with supersededBy seems to be replaced by a later one.',
  input: () =>
    z.strictObject({
      query: z
        .string()
        .min(1)
        .max(10_000)
        .describe('The question, in plain words. It may name a time, such as "last week".'),
      maxTokens: z
        .int()
        .min(50)
        .max(32_000)
        .describe('Maximum tokens of all texts together.')
        .default(2_000),
      conversationId: optionalText('Only messages of this conversation (id or key).'),
      module: z.string().max(1000).describe('Only conversations of this module.').exactOptional(),
      startDate: dateField('Only messages at or after this time'),
      endDate: dateField('Only messages at or before this time'),
      strategy: z
        .enum(SNIPPET_STRATEGIES)
        .describe(
          'temporal: in order of time, from the whole period. entity: names and numbers first. topical: only by words and meaning.',
        )
        .default('hybrid'),
    }),
  output: () =>
    z.object({
      success,
      tokensUsed: z.int().describe('Tokens of the texts, counted with o200k.'),
      omitted: z.int().describe('Passages that were found but did not fit.'),
      tier: z.enum(SEARCH_TIERS).describe('The search method.'),
      note: optionalText('Why passages may be missing.'),
      snippets: z.array(
        z.object({
          conversationId: z.string(),
          messageId: z.string(),
          seq: z.int(),
          role: z.enum(ROLES),
          createdAt: z.string(),
          text: z.string(),
          tokens: z.int(),
          score: z.number(),
          why: whySchema,
          supersededBy: z
            .object({ conversationId: z.string(), messageId: z.string() })
            .describe('A later passage that replaces this one.')
            .exactOptional(),
        }),
      ),
    }),
  annotations: READS,
  quotesText: true,
  async run(input, app, { signal, progress }) {
    const { conversations, relevantSnippets } = app;
    const { query, maxTokens, strategy } = input;
    const filters = await filtersOf(input, conversations);
    const request = { query, maxTokens, strategy, filters };
    const found = await relevantSnippets.find(request, { signal, progress });
    const { tokensUsed, omitted, tier } = found;
    const isEmpty = found.snippets.length === 0;
    const note = joinedNote([
      isEmpty ? await noSuchModule(conversations, input.module) : undefined,
      isEmpty ? wordlessNote(query) : undefined,
      emptyTimeNote(found, !isEmpty),
      ...damagedNotes(conversations),
      ...(isEmpty && input.conversationId === undefined ? await notIncluded(app) : []),
    ]);
    return { tokensUsed, omitted, tier, snippets: [...found.snippets], ...note };
  },
});
