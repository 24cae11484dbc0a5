/** The tool `perplexity_search`: answers a question from the web, stored as a new conversation. */
import { z } from 'zod';
import { ANSWERING, toAnswerOutput } from '../answers/perplexity-answer.js';
import { defineTool } from '../define-tool.js';
import { newQuery, searchFields, toQuestion } from '../fields/perplexity-fields.js';

export const perplexitySearch = defineTool({
  name: 'perplexity_search',
  ...ANSWERING,
  writesLater: true,
  title: 'Search with Perplexity',
  description:
    'Answers a question from current web sources, with numbered references. Each call starts a new conversation and costs money; to continue a conversation, use perplexity_search_followup.',
  input: () => z.strictObject({ query: newQuery, ...searchFields }),
  async run(input, { research }, call) {
    return toAnswerOutput(await research.search(toQuestion(input), call));
  },
});
