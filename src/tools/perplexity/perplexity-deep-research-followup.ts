/** The tool `perplexity_deep_research_followup`: deep research on the next question of a conversation. */
import { z } from 'zod';
import { ANSWERING, toAnswerOutput } from '../answers/perplexity-answer.js';
import { defineTool } from '../define-tool.js';
import {
  conversationRef,
  followupFields,
  followupQuery,
  researchFields,
  toFollowup,
} from '../fields/perplexity-fields.js';

export const perplexityDeepResearchFollowup = defineTool({
  name: 'perplexity_deep_research_followup',
  ...ANSWERING,
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
  async run({ conversationId, ...asked }, { research }, call) {
    return toAnswerOutput(
      await research.deepResearchFollowup(conversationId, toFollowup(asked), call),
    );
  },
});
