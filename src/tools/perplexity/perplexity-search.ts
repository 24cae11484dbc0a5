/** The tool `perplexity_search`: answers a question from the web, stored as a new conversation. */
import { z } from 'zod';
import { ASKS_OUTSIDE, defineTool } from '../define-tool.js';
import { answerOutput, answerText, toAnswerOutput, toCaller } from '../perplexity-answer.js';
import { newQuery, searchFields, toQuestion } from '../perplexity-fields.js';

export const perplexitySearch = defineTool({
  name: 'perplexity_search',
  toolset: 'perplexity',
  writesLater: true,
  needsPerplexity: true,
  title: 'Search with Perplexity',
  description:
    'Answers a question from current web sources, with numbered references. Each call starts a new conversation and costs money; to continue a conversation, use perplexity_search_followup.',
  input: () => z.strictObject({ query: newQuery, ...searchFields }),
  output: () => answerOutput,
  annotations: ASKS_OUTSIDE,
  quotesText: true,
  text: answerText,
  async run(input, { research }, call) {
    return toAnswerOutput(await research.search(toQuestion(input), toCaller(call)));
  },
});
