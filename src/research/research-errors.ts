/**
 * Adds to errors of the API what they mean for the conversation: whether something was stored, whether the
 * request may cost money, and what to do next. The error code stays the same.
 */
import { AppError, errorWith, isAppError, withHint } from '../base/errors.js';
import { defined } from '../base/json.js';
import { mayHaveActed } from '../providers/http-client.js';
import type { ResearchJob } from '../stores/research-jobs/research-job-schema.js';

/** The same error with what it means for the conversation. Other errors than AppErrors are unchanged. */
export function asConversationError(error: unknown, conversationId: string | undefined): unknown {
  if (!isAppError(error)) return error;
  const stored =
    conversationId === undefined ? 'Nothing was stored.' : 'The stored conversation is unchanged.';
  const maybeBilled = error.details !== undefined && mayHaveActed(error);
  const billed = maybeBilled ? ' Perplexity may have done the work and may charge for it.' : '';
  return errorWith(error, {
    message: `${error.message} ${stored}${billed}`,
    hint: hintOf(error),
    details: { ...error.details, ...defined({ conversationId }) },
  });
}

const UNKNOWN_CERTIFICATE =
  'This machine does not accept the certificate of that server. If a proxy of your network replaces certificates, set NODE_EXTRA_CA_CERTS to the file with its certificate, beside the key.';

function hintOf(error: AppError): string {
  if (!error.isGeneralHint) return error.hint;
  if (error.code === 'TIMEOUT')
    return 'Set PERPLEXITY_TIMEOUT_MS to a longer time, or call again later.';
  if (error.code !== 'PROVIDER') return error.hint;
  if (/CERT|VERIFY/.test(error.message)) return UNKNOWN_CERTIFICATE;
  return error.details?.['outcome'] === 'not_sent'
    ? 'Check the network connection, then call again.'
    : 'Call again later.';
}

/** Throws the error of a follow-up. If its conversation does not exist, another tool asks the question. */
export function refuseMissing(error: unknown): never {
  if (!isAppError(error, 'CONVERSATION_NOT_FOUND')) throw error;
  throw withHint(
    error,
    'Check the id: `get_conversations` lists the conversations. To ask in a new conversation, call `perplexity_search` or `perplexity_deep_research`.',
  );
}

/** For a create whose result is unknown. Not retryable, because a repetition may be billed again. */
export function lostRunError(conversationId: string, job: ResearchJob, cause?: unknown): AppError {
  const why = job.reason === undefined ? '' : ` (${job.reason.replace(/\.$/, '')})`;
  return new AppError(
    'CONFLICT',
    `The result of the deep research in this conversation is not known${why}. Perplexity may have charged for it, so Daybook does not start it again. The stored conversation is unchanged.`,
    {
      hint: 'Call `get_conversation_history` to check again. To continue without it, call a follow-up tool with `discardLostRun: true`.',
      details: { conversationId, runState: 'unknown', query: job.query },
      cause,
    },
  );
}

export function unfinishedRunError(conversationId: string, job: ResearchJob | undefined): AppError {
  return new AppError(
    'CONFLICT',
    'A deep research is still running in this conversation. The next question must wait for its answer.',
    {
      hint: 'Call `get_conversation_history` for its state, and ask the next question when it has finished.',
      details: {
        conversationId,
        runState: 'in_progress',
        ...(job && { query: job.query, startedAt: job.startedAt }),
      },
    },
  );
}

/** For a cancelled search whose request goes on. */
export function leftSearchError(conversationId: string | undefined): AppError {
  const place = conversationId === undefined ? 'a new conversation' : 'the conversation';
  return new AppError(
    'CANCELLED',
    `This call does not wait any longer. If Perplexity has received the question, its answer will be stored in ${place}.`,
    {
      hint: 'Read the answer with `get_conversations` and `get_conversation`.',
      ...(conversationId === undefined ? {} : { details: { conversationId } }),
    },
  );
}

/** For a call that stops waiting while its run continues. */
export function stoppedWaitingError(conversationId: string): AppError {
  return new AppError(
    'CANCELLED',
    'This call does not wait any longer. The deep research continues, and its answer will be stored.',
    {
      hint: 'Read the answer with `get_conversation_history`.',
      details: { conversationId, runState: 'in_progress' },
    },
  );
}
