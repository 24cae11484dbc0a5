/**
 * Tells a failure of the API in terms of the user's conversation: what was stored (nothing),
 * whether it may cost money, and what can be done. The code of the failure stays.
 */
import { AppError, isAppError } from '../base/errors.js';
import { mayHaveActed } from '../providers/http.js';
import type { ResearchJob } from '../stores/research-jobs.js';

/** The same error with what it means for the conversation; other than AppErrors stay as they are. */
export function asConversationError(error: unknown, conversationId: string | undefined): unknown {
  if (!isAppError(error)) return error;
  const stored =
    conversationId === undefined ? 'Nothing was stored.' : 'The stored conversation is unchanged.';
  const maybeBilled = error.details !== undefined && mayHaveActed(error);
  const billed = maybeBilled ? ' Perplexity may have worked on it and may bill it.' : '';
  return new AppError(error.code, `${error.message} ${stored}${billed}`, {
    hint: error.code === 'PROVIDER' ? 'Call again later.' : error.hint,
    details: { ...error.details, ...(conversationId === undefined ? {} : { conversationId }) },
    cause: error,
  });
}

/** A create that nobody knows the fate of: not retryable, because a repetition may be paid twice. */
export function lostRunError(conversationId: string, job: ResearchJob, cause?: unknown): AppError {
  const why = job.reason === undefined ? '' : ` (${job.reason})`;
  return new AppError(
    'CONFLICT',
    `It is not known what became of the deep research that was started here${why}. It may have run and been billed; Daybook does not start it again by itself. The stored conversation is unchanged.`,
    {
      hint: 'Look again with get_conversation_history. To go on without it, call a follow-up tool with discardLostRun: true.',
      details: { conversationId, runState: 'unknown', query: job.query },
      ...(cause === undefined ? {} : { cause }),
    },
  );
}

export function unfinishedRunError(conversationId: string, job: ResearchJob | undefined): AppError {
  return new AppError(
    'CONFLICT',
    'This conversation has a deep research that is still running; its answer belongs before the next question.',
    {
      hint: 'Ask get_conversation_history for its state; follow up when it has finished.',
      details: {
        conversationId,
        runState: 'in_progress',
        ...(job === undefined ? {} : { query: job.query, startedAt: job.startedAt }),
      },
    },
  );
}

/** The waiting in this process has ended; the run has not. */
export function stoppedWaitingError(conversationId: string): AppError {
  return new AppError(
    'CANCELLED',
    'This call has stopped waiting, but the deep research goes on and its answer will be stored.',
    {
      hint: 'Pick the answer up with get_conversation_history.',
      details: { conversationId, runState: 'in_progress' },
    },
  );
}
