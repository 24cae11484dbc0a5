/**
 * Maps Perplexity's error replies to error codes. The body may have any form, because proxies answer with
 * HTML and gateways with their own formats. The server's own text appears only as a short quotation.
 */

import { AppError, type ErrorCode } from '../base/errors.js';
import { defined } from '../base/json.js';
import { objectIn, objectsIn, textIn } from '../base/json-fields.js';
import { type HttpReply, type RequestOutcome, retryAfterMs } from './http-client.js';
import type { Backend } from './perplexity-types.js';
import { quoteUpstream, singleLine } from './upstream-text.js';

export interface ReplyContext {
  readonly backend: Backend;
  readonly secrets: readonly string[];
  readonly nowMs: number;
}

interface Refusal {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint?: string;
  readonly retryable?: boolean;
}

/** A retired endpoint answers 403 even to a valid key, so this must not be reported as an invalid key. */
const RETIRED_TYPES = new Set(['chat_completions_not_available', 'agent_api_migration_required']);
const RETIRED_MESSAGE = /sonar is now the agent api/i;

const ARGUMENT_TYPES = new Set(['invalid_date_format', 'invalid_search_domain_filter']);

/** The error for a reply with a status outside 200–299. */
export function refusalOf(reply: HttpReply, context: ReplyContext): AppError {
  const { type, message, param } = readEnvelope(reply);
  const waitMs = reply.status === 429 ? retryAfterMs(reply.headers, context.nowMs) : undefined;
  const refusal = classify(reply.status, type, message, waitMs, context.backend);
  const quoted =
    message === undefined ? '' : ` Its message: ${quoteUpstream(message, context.secrets)}.`;
  const outcome: RequestOutcome =
    reply.status >= 500 || reply.status === 408 ? 'unknown' : 'refused';
  return new AppError(refusal.code, `${refusal.message}${quoted}`, {
    ...defined({ hint: refusal.hint, retryable: refusal.retryable }),
    details: defined({
      outcome,
      httpStatus: reply.status,
      type,
      param,
      retryAfterMs: waitMs,
    }),
  });
}

/** The error for a reply with status 200 that cannot be used. The answer may have been billed. */
export function unusable(message: string): AppError {
  return new AppError('PROVIDER', message, {
    details: { outcome: 'unknown' satisfies RequestOutcome },
  });
}

function classify(
  status: number,
  type: string | undefined,
  message: string | undefined,
  waitMs: number | undefined,
  backend: Backend,
): Refusal {
  if (status === 403 && (RETIRED_TYPES.has(type ?? '') || RETIRED_MESSAGE.test(message ?? ''))) {
    return retired(backend);
  }
  if (status === 401) return badKey();
  if (status === 429 && !NO_CREDIT.test(type ?? '')) return rateLimited(waitMs);
  if (status === 413) {
    return {
      code: 'TOO_LARGE',
      message: 'The conversation is larger than Perplexity accepts.',
      hint: 'Start a new conversation, and put the necessary context into the query.',
    };
  }
  if (ARGUMENT_TYPES.has(type ?? '')) {
    return { code: 'VALIDATION_ERROR', message: 'Perplexity refused one of the search filters.' };
  }
  const named = type === undefined ? String(status) : `${status}, ${type}`;
  const refused = status >= 300 && status < 500 && status !== 408;
  return {
    code: 'PROVIDER',
    message: `Perplexity answered with an error (${named}).`,
    ...(refused ? { hint: hintFor(status, type), retryable: false } : {}),
  };
}

const NO_CREDIT = /insufficient_(quota|credit)|billing|payment/i;

function hintFor(status: number, type: string | undefined): string {
  if (status === 402 || NO_CREDIT.test(type ?? ''))
    return 'Add credit to the Perplexity account (its API settings), then call again.';
  if (status < 400)
    return 'The server redirects to another address. Set PERPLEXITY_BASE_URL to that address.';
  if (status === 403)
    return 'The account or the gateway does not allow this request. Check the rights of the account and of the key.';
  if (status === 404) return 'Check PERPLEXITY_BASE_URL and PERPLEXITY_BACKEND.';
  return 'Perplexity would refuse the same request again. Change what the message names.';
}

function retired(backend: Backend): Refusal {
  return {
    code: 'PROVIDER_RETIRED',
    message: 'Perplexity no longer offers this API endpoint. The key is not the cause.',
    ...(backend === 'agent' ? { hint: 'Update Daybook, or check PERPLEXITY_BASE_URL.' } : {}),
  };
}

function badKey(): Refusal {
  return {
    code: 'NOT_CONFIGURED',
    message: 'Perplexity did not accept the API key.',
    hint: 'Set PERPLEXITY_API_KEY to a valid key in the configuration of the MCP server, then restart it.',
  };
}

function rateLimited(waitMs: number | undefined): Refusal {
  const wait = waitMs === undefined ? '' : ` Wait ${Math.ceil(waitMs / 1000)} s.`;
  return {
    code: 'RATE_LIMITED',
    message: `Perplexity refused the request, because there were too many requests.${wait}`,
  };
}

interface Envelope {
  readonly type?: string;
  readonly message?: string;
  readonly param?: string;
}

/** Reads `{error: {message, type, param}}`, FastAPI's `{detail: [{msg}]}` and `{error: "text"}`. */
function readEnvelope(reply: HttpReply): Envelope {
  const body = objectIn(reply.json);
  const error = objectIn(body['error']);
  const detail = objectsIn(body['detail'])
    .map((item) => textIn(item['msg']))
    .find((text) => text !== undefined);
  const message =
    textIn(error['message']) ?? textIn(body['error']) ?? detail ?? textIn(body['detail']);
  const type = shortName(error['type']);
  const param = shortName(error['param']);
  return defined({ message, type, param });
}

/** An identifier of the server, limited to the characters of identifiers. */
function shortName(value: unknown): string | undefined {
  const text = textIn(value);
  return text === undefined
    ? undefined
    : singleLine(text)
        .replace(/[^\w.[\]-]/g, '')
        .slice(0, 64);
}
