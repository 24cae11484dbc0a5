/** The tool `perplexity_search_followup`: answers the next question of a conversation. */
import { z } from 'zod';
import { ANSWERING, toAnswerOutput } from '../answers/perplexity-answer.js';
import { defineTool } from '../define-tool.js';
import {
  conversationRef,
  followupFields,
  followupQuery,
  searchFields,
  toFollowup,
} from '../fields/perplexity-fields.js';

export const perplexitySearchFollowup = defineTool({
  name: 'perplexity_search_followup',
  ...ANSWERING,
  writesLater: true,
  title: 'Follow up with a Perplexity search',
  description:
    'Answers the next question of any stored conversation from a quick web search, with its messages as context.',
  input: () =>
    z.strictObject({
      conversationId: conversationRef,
      query: followupQuery,
      ...searchFields,
      ...followupFields,
    }),
  async run({ conversationId, ...asked }, { research }, call) {
    return toAnswerOutput(await research.searchFollowup(conversationId, toFollowup(asked), call));
  },
});
