/** A thorough report by Perplexity, made in the background and kept as a new conversation. */
import { z } from 'zod';
import { ASKS_OUTSIDE, defineTool } from '../define-tool.js';
import { answerOutput, answerText, toAnswerOutput, toCaller } from '../perplexity-answer.js';
import { newQuery, researchFields, toQuestion } from '../perplexity-fields.js';

export const perplexityDeepResearch = defineTool({
  name: 'perplexity_deep_research',
  toolset: 'perplexity',
  title: 'Deep research with Perplexity',
  description:
    'Researches a question thoroughly over many sources and writes a report. Every call starts a NEW stored conversation and a new paid run, which takes minutes and goes on by itself: if the report is not ready when the call ends, status is in_progress, and get_conversation_history with the conversationId brings it later. Never repeat the call for the same question. To continue a conversation use perplexity_deep_research_followup; for quick facts use perplexity_search.',
  input: z.strictObject({ query: newQuery, ...researchFields }),
  output: answerOutput,
  annotations: ASKS_OUTSIDE,
  quotesText: true,
  text: answerText,
  async run(input, { research }, call) {
    return toAnswerOutput(await research.deepResearch(toQuestion(input), toCaller(call)));
  },
});
