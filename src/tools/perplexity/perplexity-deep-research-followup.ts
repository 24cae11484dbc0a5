/** The tool `perplexity_deep_research_followup`: deep research on the next question of a conversation. */
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
    'Researches the next question of any stored conversation, with its messages as context; it takes minutes. If status is in_progress, get_conversation_history returns the report later.',
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
