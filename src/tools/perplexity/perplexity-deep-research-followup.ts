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
  needsPerplexity: true,
  title: 'Follow up with deep research',
  description:
    'Researches the next question of a stored conversation thoroughly, with all its messages as context. It takes minutes; when status is in_progress, get_conversation_history returns the report later.',
  input: () =>
    z.strictObject({
      conversationId: conversationRef,
      query: followupQuery,
      ...researchFields,
      ...followupFields,
    }),
  output: () => answerOutput,
  annotations: ASKS_OUTSIDE,
  quotesText: true,
  text: answerText,
  async run({ conversationId, ...asked }, { research }, call) {
    return toAnswerOutput(
      await research.deepResearchFollowup(conversationId, toFollowup(asked), toCaller(call)),
    );
  },
});
