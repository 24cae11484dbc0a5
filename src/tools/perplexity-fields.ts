/**
 * The inputs that the four asking tools share, under the names callers know from Perplexity's API,
 * and their translation into a question. No tool of its own.
 */
import { z } from 'zod';
import { EFFORTS, RECENCIES, SEARCH_MODES } from '../providers/perplexity-answer.js';
import type { FollowupQuestion, Question } from '../research/research-types.js';

const query = z.string().max(200_000).regex(/\S/, 'must not be blank');

const date = z.string().max(10);

export const newQuery = query.describe('The question. It must be clear without other text.');

export const followupQuery = query.describe('The next question. It can refer to earlier messages.');

export const conversationRef = z
  .string()
  .min(1)
  .max(200)
  .describe('Id or key of the conversation.');

export const searchFields = {
  return_related_questions: z.boolean().default(false).describe('Also return related questions.'),
  search_recency_filter: z
    .enum(RECENCIES)
    .exactOptional()
    .describe('Only pages of this recent period.'),
  search_domain_filter: z
    .array(z.string().min(1).max(254))
    .exactOptional()
    .describe('Hosts to search (example.com), or hosts to exclude (-example.com).'),
  search_after_date_filter: date
    .exactOptional()
    .describe('Only pages from this day or later (2025-01-31).'),
  search_before_date_filter: date.exactOptional().describe('Only pages from this day or earlier.'),
  search_mode: z.enum(SEARCH_MODES).exactOptional().describe('academic prefers scholarly sources.'),
  showThinking: z
    .boolean()
    .default(false)
    .describe("Also return the model's reasoning, if there is any."),
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

type Asked = z.output<z.ZodObject<typeof researchFields>> & { query: string };

export function toQuestion(asked: Asked): Question {
  const { search_domain_filter: domains, search_recency_filter: recency } = asked;
  const { search_after_date_filter: after, search_before_date_filter: before } = asked;
  const { search_mode: mode, reasoning_effort: reasoningEffort } = asked;
  return {
    query: asked.query,
    relatedQuestions: asked.return_related_questions,
    showThinking: asked.showThinking,
    filters: {
      ...(domains === undefined ? {} : { domains }),
      ...(recency === undefined ? {} : { recency }),
      ...(after === undefined ? {} : { after }),
      ...(before === undefined ? {} : { before }),
      ...(mode === undefined ? {} : { mode }),
    },
    ...(reasoningEffort === undefined ? {} : { reasoningEffort }),
  };
}

export function toFollowup(asked: Asked & { discardLostRun: boolean }): FollowupQuestion {
  return { ...toQuestion(asked), discardLostRun: asked.discardLostRun };
}
