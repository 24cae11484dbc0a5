/** Deep research as the next question in a stored conversation, whatever tool began it. */
import { z } from 'zod';
import { ASKS_OUTSIDE, defineTool } from '../define-tool.js';
import { answerOutput, answerText, toAnswerOutput, toCaller } from '../perplexity-answer.js';
import {
  conversationRef,
  followupFields,
  followupQuery,
  researchFields,
  toFollowup,
} from '../perplexity-fields.js';

export const perplexityDeepResearchFollowup = defineTool({
  name: 'perplexity_deep_research_followup',
  toolset: 'perplexity',
  title: 'Follow up with deep research',
  description:
    'Researches the next question of a stored conversation thoroughly, building on everything said there before; also after quick searches. Takes minutes and goes on by itself: when status is in_progress, get_conversation_history with the same conversationId brings the report later. Refused with CONFLICT while an earlier research of that conversation is unfinished. For a quick answer use perplexity_search_followup.',
  input: z.strictObject({
    conversationId: conversationRef,
    query: followupQuery,
    ...researchFields,
    ...followupFields,
  }),
  output: answerOutput,
  annotations: ASKS_OUTSIDE,
  quotesText: true,
  text: answerText,
  async run({ conversationId, ...asked }, { research }, call) {
    return toAnswerOutput(
      await research.deepResearchFollowup(conversationId, toFollowup(asked), toCaller(call)),
    );
  },
});
