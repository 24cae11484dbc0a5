/**
 * Maps error replies of language model servers to error codes. The bodies are OpenAI's `{error: {message,
 * type, code}}`, Anthropic's `{type: "error", error: {type, message}}` or Ollama's `{error: "text"}`. The
 * server's own text appears only as a short quotation.
 */
import { AppError, type ErrorCode } from '../../base/errors.js';
import { objectIn, textIn } from '../../base/json-fields.js';
import type { HttpReply, RequestOutcome } from '../http-client.js';
import { quoteUpstream } from '../upstream-text.js';

interface Context {
  readonly name: string;
  readonly secrets: readonly string[];
  readonly waitMs: number | undefined;
}

interface Refusal {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint?: string;
}

/** Too many requests, unavailable, overloaded (Anthropic): the server refused the request before any work. */
export const BUSY: ReadonlySet<number> = new Set([429, 503, 529]);

/** Phrases of error messages for a request that is longer than the context of the model. */
const TOO_LONG =
  /context[ _]length|context (?:window|size)|maximum (?:context|input length)|too (?:long|many tokens|large to process)|exceeds? the (?:available )?context|n_ctx|max_model_len/i;

/** The error for a reply with a status outside 200–299. */
export function refusalOf(reply: HttpReply, { name, secrets, waitMs }: Context): AppError {
  const error = objectIn(objectIn(reply.json)['error']);
  const message = textIn(error['message']) ?? textIn(objectIn(reply.json)['error']);
  const errorText = `${textIn(error['code']) ?? ''} ${textIn(error['type']) ?? ''} ${message ?? ''}`;
  const refusal = classify(reply.status, errorText, name);
  const seconds = refusal.code === 'RATE_LIMITED' ? Math.ceil((waitMs ?? 0) / 1000) : 0;
  const wait = seconds > 0 ? ` Wait ${seconds} s.` : '';
  const quoted = message === undefined ? '' : ` Its message: ${quoteUpstream(message, secrets)}.`;
  const mayHaveActed = (reply.status >= 500 && !BUSY.has(reply.status)) || reply.status === 408;
  const outcome: RequestOutcome = mayHaveActed ? 'unknown' : 'refused';
  // The server would refuse the same request again.
  const isFinal = refusal.code === 'PROVIDER' && reply.status < 500 && reply.status !== 408;
  return new AppError(refusal.code, `${refusal.message}${wait}${quoted}`, {
    ...(isFinal && { retryable: false }),
    ...(refusal.hint !== undefined && { hint: refusal.hint }),
    details: {
      provider: name,
      outcome,
      httpStatus: reply.status,
      ...(waitMs !== undefined && { retryAfterMs: waitMs }),
    },
  });
}

/** The error for a reply with status 200 that is invalid or incomplete. */
export function unusable(name: string, what: string): AppError {
  return new AppError('PROVIDER', `${name} returned ${what}. Nothing of this answer was stored.`, {
    details: { provider: name, outcome: 'unknown' satisfies RequestOutcome },
  });
}

function classify(status: number, errorText: string, name: string): Refusal {
  if (status === 401 || status === 403) {
    return {
      code: 'NOT_CONFIGURED',
      message: `${name} did not accept the key.`,
      hint: 'Set the environment variable of the key to a valid key. For summaries, daybook providers list shows the name of this variable. For embeddings, DAYBOOK_EMBEDDINGS_KEY_ENV has its name (default for OpenAI: OPENAI_API_KEY).',
    };
  }
  if (status === 404 || (status >= 300 && status < 400)) {
    const reason =
      status === 404
        ? 'it does not have the model, or the endpoint is not of this kind of API'
        : 'the endpoint redirects to another address, which Daybook does not follow';
    return {
      code: 'NOT_CONFIGURED',
      message: `${name} answered with status ${status}: ${reason}.`,
      hint: 'Correct the model or the endpoint. For summaries, run daybook providers add with the same name, then daybook providers test; for embeddings, set DAYBOOK_EMBEDDINGS_MODEL or DAYBOOK_EMBEDDINGS_ENDPOINT (the address of most servers ends with /v1).',
    };
  }
  // llama.cpp answers with status 500.
  if (status === 413 || ([400, 500].includes(status) && TOO_LONG.test(errorText))) {
    return { code: 'TOO_LARGE', message: `The text is too long for ${name}.` };
  }
  if (status === 429) {
    return {
      code: 'RATE_LIMITED',
      message: `${name} refused the request, because there were too many requests.`,
    };
  }
  return { code: 'PROVIDER', message: `${name} answered with an error (status ${status}).` };
}
