/** The next quick question in a stored conversation, whatever tool began it. */
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
  title: 'Follow up with a Perplexity search',
  description:
    'Asks the next question in a stored conversation and answers it from a quick web search, with everything said there before as context. Works on any conversation, also one that deep research or another tool began. Question and answer are added to it. Refused with CONFLICT while a deep research of that conversation is still running: look with get_conversation_history first.',
  input: z.strictObject({
    conversationId: conversationRef,
    query: followupQuery,
    ...searchFields,
    ...followupFields,
  }),
  output: answerOutput,
  annotations: ASKS_OUTSIDE,
  quotesText: true,
  text: answerText,
  async run({ conversationId, ...asked }, { research }, call) {
    return toAnswerOutput(
      await research.searchFollowup(conversationId, toFollowup(asked), toCaller(call)),
    );
  },
});
