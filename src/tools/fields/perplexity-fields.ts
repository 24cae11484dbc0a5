/** The input fields of the four Perplexity tools, with the names of Perplexity's API. */

import { z } from 'zod';
import { defined } from '../../base/json.js';
import { RECENCIES, SEARCH_MODES } from '../../providers/perplexity-filters.js';
import { EFFORTS } from '../../providers/perplexity-types.js';
import type { FollowupQuestion, Question } from '../../research/research-types.js';

const query = z.string().max(200_000).regex(/\S/, 'must not be blank');

const date = z.string().max(10);

export const newQuery = query.describe('The question. It must be clear without other text.');

export const followupQuery = query.describe('The next question; it can refer to earlier messages.');

export const conversationRef = z.string().min(1).max(200).describe('Conversation id or key.');

export const searchFields = {
  return_related_questions: z.boolean().default(false).describe('Also return related questions.'),
  search_recency_filter: z.enum(RECENCIES).exactOptional().describe('Maximum age of the pages.'),
  search_domain_filter: z
    .array(z.string().min(1).max(254))
    .exactOptional()
    .describe('Hosts to search; with a leading -, hosts to exclude.'),
  search_after_date_filter: date
    .exactOptional()
    .describe('Only pages from this day (YYYY-MM-DD) or later.'),
  search_before_date_filter: date.exactOptional().describe('Only pages from this day or earlier.'),
  search_mode: z.enum(SEARCH_MODES).exactOptional().describe('academic prefers scholarly sources.'),
  showThinking: z.boolean().default(false).describe("Also return the model's reasoning."),
};

export const researchFields = {
  ...searchFields,
  reasoning_effort: z
    .enum(EFFORTS)
    .exactOptional()
    .describe('More effort takes longer and costs more.'),
};

export const followupFields = {
  discardLostRun: z
    .boolean()
    .default(false)
    .describe('Discard an earlier deep research whose result is lost (state unknown).'),
};

type QuestionInput = z.output<z.ZodObject<typeof researchFields>> & { query: string };

export function toQuestion(input: QuestionInput): Question {
  const { search_domain_filter: domains, search_recency_filter: recency } = input;
  const { search_after_date_filter: after, search_before_date_filter: before } = input;
  const { search_mode: mode, reasoning_effort: reasoningEffort } = input;
  return defined({
    query: input.query,
    relatedQuestions: input.return_related_questions,
    showThinking: input.showThinking,
    filters: defined({ domains, recency, after, before, mode }),
    reasoningEffort,
  });
}

export function toFollowup(input: QuestionInput & { discardLostRun: boolean }): FollowupQuestion {
  return { ...toQuestion(input), discardLostRun: input.discardLostRun };
}
