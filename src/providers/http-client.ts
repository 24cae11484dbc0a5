/**
 * The only HTTP client: it sends JSON over the global fetch and returns every reply, whatever its status.
 * Only a request without a usable reply throws. Each thrown error has `details.outcome`: whether the server
 * can have carried out the request. A create (a request that starts a paid answer or run) must never be
 * repeated if the server may have carried it out, because it would be paid for twice. perplexity-errors.ts and
 * llm/retrying-client.ts interpret the status, such as 429.
 */
import { sleep } from '../base/clock.js';
import { AppError, type ErrorCode, errorWith, isAppError } from '../base/errors.js';
import { parsedJson } from '../base/json.js';
import { redact } from './upstream-text.js';

export interface HttpCall {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** If it returns false, the request is not sent. It has no effect on a request that was sent. */
  readonly isWanted?: () => boolean;
}

export interface HttpReply {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed body; `undefined` if it is not JSON. */
  readonly json: unknown;
}

export interface HttpOptions {
  /** Removed from everything that is logged or thrown. */
  readonly secrets?: readonly string[];
  readonly maxBodyBytes?: number;
  /** Number of repetitions of a request that can safely be repeated. */
  readonly retries?: number;
  /** Pause before the first repetition; doubled before each further one. */
  readonly retryDelayMs?: number;
}

export type HttpClient = (call: HttpCall) => Promise<HttpReply>;

/** What happened to a request: not sent, refused by the server, or unknown. */
export type RequestOutcome = 'not_sent' | 'refused' | 'unknown';

/** False only if it is certain that the server did not carry out the request. */
export function mayHaveActed(error: unknown): boolean {
  const outcome = isAppError(error) ? error.details?.['outcome'] : undefined;
  return outcome !== 'not_sent' && outcome !== 'refused';
}

/** For a request that fails after an earlier one of the same work was carried out, and may be paid for. */
export function withUnknownOutcome(error: AppError): AppError {
  const outcome: RequestOutcome = 'unknown';
  return errorWith(error, { details: { ...error.details, outcome } });
}

/** Errors of the connection, before the server can have read the request. */
const NOT_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);

const DEFAULT_MAX_BODY_BYTES = 32 * 1024 * 1024;

type Settings = Required<HttpOptions>;

/** Throws TIMEOUT, CANCELLED, or PROVIDER with `details.outcome`. */
export function createHttpClient(options: HttpOptions = {}): HttpClient {
  const settings: Settings = {
    secrets: options.secrets ?? [],
    maxBodyBytes: options.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES,
    retries: options.retries ?? 2,
    retryDelayMs: options.retryDelayMs ?? 500,
  };
  return async (call) => {
    for (let tries = 0; ; tries += 1) {
      const result = await attempt(call, settings);
      if (tries >= settings.retries || !isWorthRepeating(call, result)) {
        if (result instanceof AppError) throw result;
        return result;
      }
      await pause(settings.retryDelayMs * 2 ** tries, call);
    }
  };
}

/** Milliseconds from a `Retry-After` header (seconds or a date); `undefined` if it is absent or invalid. */
export function retryAfterMs(headers: Headers, nowMs: number): number | undefined {
  const value = headers.get('retry-after')?.trim();
  if (value === undefined || value === '') return undefined;
  const seconds = Number(value);
  if (Number.isFinite(seconds)) return Math.max(0, Math.ceil(seconds * 1000));
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}

function isWorthRepeating(call: HttpCall, result: HttpReply | AppError): boolean {
  if (!(result instanceof AppError)) return call.method === 'GET' && result.status >= 500;
  if (result.code !== 'PROVIDER') return false;
  return call.method === 'GET' || !mayHaveActed(result);
}

async function pause(ms: number, call: HttpCall): Promise<void> {
  try {
    await sleep(ms, call.signal);
  } catch (cause) {
    throw failure('CANCELLED', 'The request was cancelled.', 'not_sent', { cause });
  }
}

async function attempt(call: HttpCall, settings: Settings): Promise<HttpReply | AppError> {
  if (call.signal?.aborted || call.isWanted?.() === false) {
    return failure('CANCELLED', 'The request was cancelled.', 'not_sent');
  }
  // AbortSignal.any with AbortSignal.timeout is not used, because on Node 20 both can be garbage-collected
  // before the timeout.
  const abort = new AbortController();
  const onCancel = () => abort.abort();
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    abort.abort();
  }, call.timeoutMs);
  call.signal?.addEventListener('abort', onCancel, { once: true });
  try {
    return await exchange(call, settings, abort.signal);
  } catch (error) {
    if (timedOut) return timeoutFailure(call);
    if (call.signal?.aborted) {
      return failure('CANCELLED', 'The request was cancelled.', 'unknown');
    }
    return isAppError(error) ? error : networkFailure(error, call, settings);
  } finally {
    clearTimeout(timer);
    call.signal?.removeEventListener('abort', onCancel);
  }
}

async function exchange(
  call: HttpCall,
  settings: Settings,
  signal: AbortSignal,
): Promise<HttpReply> {
  const response = await fetch(call.url, {
    method: call.method,
    headers: {
      accept: 'application/json',
      ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...call.headers,
    },
    // A redirect would send the key to an address that the user did not configure.
    redirect: 'manual',
    signal,
    ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
  });
  const text = await readText(response, settings.maxBodyBytes);
  return { status: response.status, headers: response.headers, json: parsedJson(text) };
}

async function readText(response: Response, maxBytes: number): Promise<string> {
  if (response.body === null) return '';
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  // The throw ends the loop and so cancels the stream; the rest of the body is not read.
  for await (const chunk of response.body) {
    sizeBytes += chunk.byteLength;
    if (sizeBytes > maxBytes) {
      throw failure('PROVIDER', `The reply is larger than ${maxBytes} bytes.`, 'unknown');
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function timeoutFailure(call: HttpCall): AppError {
  const seconds = Math.round(call.timeoutMs / 100) / 10;
  return failure('TIMEOUT', `${hostOf(call.url)} did not answer within ${seconds} s.`, 'unknown');
}

function networkFailure(error: unknown, call: HttpCall, settings: Settings): AppError {
  const code = networkCode(error);
  const outcome = NOT_SENT.has(code) ? 'not_sent' : 'unknown';
  const verb = outcome === 'not_sent' ? 'could not be reached' : 'closed the connection';
  // The message of fetch may quote an invalid header with the key, so the cause is a new error with a
  // redacted message.
  const cause = new Error(redact(describe(error), settings.secrets));
  return failure('PROVIDER', `${hostOf(call.url)} ${verb} (${code}).`, outcome, { cause });
}

function networkCode(error: unknown): string {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if ('code' in at && typeof at.code === 'string') return at.code;
  }
  return 'no network code';
}

function describe(error: unknown): string {
  const parts: string[] = [];
  for (let at: unknown = error; at instanceof Error && parts.length < 4; at = at.cause) {
    parts.push(at.message);
  }
  return parts.join(': ');
}

function failure(
  code: ErrorCode,
  message: string,
  outcome: RequestOutcome,
  options: { cause?: unknown } = {},
): AppError {
  return new AppError(code, message, { ...options, details: { outcome } });
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'The server';
}
