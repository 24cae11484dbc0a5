/** The tool `perplexity_deep_research`: gets a long report, stored as a new conversation. */
import { z } from 'zod';
import { ANSWERING, toAnswerOutput } from '../answers/perplexity-answer.js';
import { defineTool } from '../define-tool.js';
import { newQuery, researchFields, toQuestion } from '../fields/perplexity-fields.js';

export const perplexityDeepResearch = defineTool({
  name: 'perplexity_deep_research',
  ...ANSWERING,
  title: 'Deep research with Perplexity',
  description:
    'Researches a question in many web sources and writes a report; it takes minutes, costs money, and starts a new conversation. If status is in_progress, do not call it again: get_conversation_history returns the report later.',
  input: () => z.strictObject({ query: newQuery, ...researchFields }),
  async run(input, { research }, call) {
    return toAnswerOutput(await research.deepResearch(toQuestion(input), call));
  },
});
