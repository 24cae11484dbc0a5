/** A summary as tools show it. */
import { z } from 'zod';
import type { SummaryAnswer } from '../context/summaries/summary-service.js';

export const summaryFacts = z.object({
  text: z.string(),
  tokens: z.number().int(),
  provider: z.string().describe('extractive, or the provider whose model wrote it.'),
  model: z.string().exactOptional(),
  generatedAt: z.string(),
  messageCount: z.number().int().describe('Messages that it is about.'),
  qualityScore: z.number().describe('0 to 1: coverage, spread over time, no names from elsewhere.'),
  isStale: z.boolean().describe('True if the conversation has changed since.'),
  problem: z
    .object({ code: z.string(), message: z.string() })
    .describe('Why it was not rewritten, or not stored.')
    .exactOptional(),
});

/** An empty text if there is no message. */
export function toSummaryFacts({
  summary,
  isStale,
  problem,
}: SummaryAnswer): z.output<typeof summaryFacts> {
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
