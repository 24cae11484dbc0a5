/** The tool `perplexity_search_followup`: answers the next question of a conversation. */
import { z } from 'zod';
import { ASKS_OUTSIDE, defineTool } from '../define-tool.js';
import { answerOutput, answerText, toAnswerOutput, toCaller } from '../perplexity-answer.js';
import {
  conversationRef,
  followupFields,
  followupQuery,
  searchFields,
  toFollowup,
} from '../perplexity-fields.js';

export const perplexitySearchFollowup = defineTool({
  name: 'perplexity_search_followup',
  toolset: 'perplexity',
  writesLater: true,
  needsPerplexity: true,
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
  output: () => answerOutput,
  annotations: ASKS_OUTSIDE,
  quotesText: true,
  text: answerText,
  async run({ conversationId, ...asked }, { research }, call) {
    return toAnswerOutput(
      await research.searchFollowup(conversationId, toFollowup(asked), toCaller(call)),
    );
  },
});
