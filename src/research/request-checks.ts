/**
 * The checks before a request to Perplexity. A request costs money, so it is not sent if its answer could
 * not be stored, or if no caller waits for it any more.
 */

import { AppError } from '../base/errors.js';
import { countOf } from '../base/text/display-text.js';
import type { Perplexity } from '../providers/perplexity-types.js';
import type { Conversation } from '../stores/conversations/document/schema.js';
import type { ResearchJob } from '../stores/research-jobs/research-job-schema.js';
import { lostRunError, unfinishedRunError } from './research-errors.js';
import type { Caller, FollowupQuestion } from './research-types.js';

/** NOT_CONFIGURED without a key. */
export function requirePerplexity(perplexity: Perplexity | undefined): Perplexity {
  if (perplexity !== undefined) return perplexity;
  throw new AppError('NOT_CONFIGURED', 'No Perplexity API key is set.', {
    hint: 'Set PERPLEXITY_API_KEY in the configuration of the MCP server (its "env" block), then restart it.',
  });
}

/**
 * CONFLICT if the conversation has a run that has not ended, or one whose result is unknown and which the
 * caller does not give up (`discardLostRun`).
 */
export function refuseUnfinished(
  conversationId: string,
  job: ResearchJob | undefined,
  question: FollowupQuestion,
): void {
  if (job === undefined || job.state === 'failed') return;
  if (job.state !== 'unknown') throw unfinishedRunError(conversationId, job);
  if (!question.discardLostRun) throw lostRunError(conversationId, job);
}

/** CANCELLED if the caller has cancelled the call. */
export function refuseWhenCancelled(caller: Caller): void {
  if (caller.signal?.aborted) throw new AppError('CANCELLED', 'The call was cancelled.');
}

/** CONVERSATION_FULL if the conversation has no room for a question and its answer. */
export function requireRoomForAnswer(
  { conversationId, messages }: Conversation,
  maxMessages = Number.POSITIVE_INFINITY,
): void {
  if (messages.length + 2 <= maxMessages) return;
  throw new AppError(
    'CONVERSATION_FULL',
    `The conversation has ${countOf(messages.length, 'message')}, and the limit is ${maxMessages}: there is no room for a question and its answer. Nothing was sent.`,
    { details: { conversationId, messageCount: messages.length, maxMessages } },
  );
}
