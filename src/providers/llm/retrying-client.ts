/**
 * Sends requests to servers of language models. If a server is busy, the request is repeated after the wait
 * that the server asks for, within limits. A request that may have been carried out is not repeated,
 * because it costs money.
 */
import { type Clock, sleep } from '../../base/clock.js';
import { AppError } from '../../base/errors.js';
import { defined } from '../../base/json.js';
import { createHttpClient, type HttpReply, retryAfterMs } from '../http-client.js';
import type { CompletionRequest } from './language-model.js';
import { BUSY, refusalOf, unusable } from './llm-errors.js';

export interface RetryingClient {
  /** Returns the parsed body of a reply with status 2xx. Throws as `LanguageModel.complete` does. */
  post(
    path: string,
    body: unknown,
    headers: Readonly<Record<string, string>>,
    control?: Pick<CompletionRequest, 'signal' | 'isWanted'>,
  ): Promise<unknown>;
}

export interface RetryingClientOptions {
  /** Name in error messages. */
  readonly name: string;
  readonly endpoint: string;
  readonly apiKey?: string | undefined;
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** Pause before the first repetition of a request that the server certainly did not carry out. */
  readonly retryDelayMs?: number;
}

const MAX_REPEATS = 2;
/** If the server asks for a longer wait than this, the request fails at once. */
const MAX_WAIT_MS = 20_000;
const RETRY_DELAY_MS = 1_000;
/** An answer of some thousand tokens has about ten kilobytes; the vectors of a batch have a few megabytes. */
const MAX_BODY_BYTES = 16 * 1024 * 1024;

export function createRetryingClient(options: RetryingClientOptions): RetryingClient {
  const { name, clock, timeoutMs, retryDelayMs = RETRY_DELAY_MS } = options;
  const secrets = options.apiKey === undefined ? [] : [options.apiKey];
  const base = options.endpoint.replace(/\/+$/, '');
  const send = createHttpClient({
    secrets,
    maxBodyBytes: MAX_BODY_BYTES,
    retries: 1,
    retryDelayMs,
  });
  return {
    async post(path, body, headers, { signal, isWanted } = {}) {
      for (let repeats = 0; ; repeats += 1) {
        const call = { method: 'POST', url: base + path, body, headers, timeoutMs } as const;
        const reply = await send({ ...call, ...defined({ signal, isWanted }) });
        if (reply.status >= 200 && reply.status <= 299) return jsonOf(reply, name);
        const asked = retryAfterMs(reply.headers, clock.now());
        const waitMs = asked ?? retryDelayMs * 2 ** repeats;
        if (!BUSY.has(reply.status) || repeats === MAX_REPEATS || waitMs > MAX_WAIT_MS) {
          throw refusalOf(reply, { name, secrets, waitMs: asked });
        }
        await pause(waitMs, signal);
      }
    },
  };
}

/** NOT_CONFIGURED for invalid characters: fetch would throw an error whose message has the key. */
export function headerKey(apiKey: string | undefined, name: string): string | undefined {
  const key = apiKey?.trim();
  if (key === undefined || key === '') return undefined;
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw new AppError(
    'NOT_CONFIGURED',
    `The key of ${name} has a character that a key cannot have.`,
    { details: { outcome: 'not_sent' } },
  );
}

function jsonOf(reply: HttpReply, name: string): unknown {
  if (reply.json === undefined) throw unusable(name, 'an answer that is not JSON');
  return reply.json;
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await sleep(ms, signal);
  } catch (cause) {
    throw new AppError('CANCELLED', 'The request was cancelled.', { cause });
  }
}
