/** The output schema of a summary. */
import { z } from 'zod';
import type { SummaryAnswer } from '../context/summaries/summary-service.js';

export const summarySchema = z.object({
  text: z.string(),
  tokens: z.int(),
  provider: z
    .string()
    .describe('extractive, or the name of the provider whose model wrote the summary.'),
  model: z.string().exactOptional(),
  generatedAt: z.string(),
  messageCount: z.int().describe('Number of messages that were summarised.'),
  qualityScore: z
    .number()
    .describe('Quality from 0 to 1: it covers the content and the whole time, and adds no names.'),
  isStale: z.boolean().describe('True if the conversation was changed after the summary.'),
  problem: z
    .object({ code: z.string(), message: z.string() })
    .describe('Why the summary was not written again, or not stored.')
    .exactOptional(),
});

/** The text is empty if the conversation has no message. */
export function toSummaryView({
  summary,
  isStale,
  problem,
}: SummaryAnswer): z.output<typeof summarySchema> {
  const { code, message } = problem ?? {};
  return {
    text: summary?.text ?? '',
    tokens: summary?.tokenCount ?? 0,
    provider: summary?.provider ?? '',
    ...(summary?.model !== undefined && { model: summary.model }),
    generatedAt: summary?.generatedAt ?? '',
    messageCount: summary?.messageCount ?? 0,
    qualityScore: summary?.qualityScore ?? 0,
    isStale,
    ...(code !== undefined && message !== undefined && { problem: { code, message } }),
  };
}
