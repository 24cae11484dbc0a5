/** A thorough report by Perplexity, made in the background and kept as a new conversation. */
import { z } from 'zod';
import { ASKS_OUTSIDE, defineTool } from '../define-tool.js';
import { answerOutput, answerText, toAnswerOutput, toCaller } from '../perplexity-answer.js';
import { newQuery, researchFields, toQuestion } from '../perplexity-fields.js';

export const perplexityDeepResearch = defineTool({
  name: 'perplexity_deep_research',
  toolset: 'perplexity',
  needsPerplexity: true,
  title: 'Deep research with Perplexity',
  description:
    'Researches a question over many web sources and writes a report. Each call starts a new conversation and costs money. It takes minutes; when status is in_progress, get_conversation_history returns the report later. Never repeat the call for the same question.',
  input: () => z.strictObject({ query: newQuery, ...researchFields }),
  output: () => answerOutput,
  annotations: ASKS_OUTSIDE,
  quotesText: true,
  text: answerText,
  async run(input, { research }, call) {
    return toAnswerOutput(await research.deepResearch(toQuestion(input), toCaller(call)));
  },
});
