/**
 * The door to Perplexity: one interface, two wire formats. `agent` is Perplexity's API;
 * `chat-completions` is the older form that gateways still speak. A request is prepared (checked,
 * translated) first, so that a wrong one costs nothing; creating is never repeated once it may
 * have reached the server.
 */
import type { Clock } from '../base/clock.js';
import { AppError } from '../base/errors.js';
import { createHttpClient, type HttpReply } from './http.js';
import { createAgentBackend } from './perplexity-agent.js';
import type {
  Backend,
  PerplexityAnswer,
  PerplexityRequest,
  PreparedRequest,
  RunState,
} from './perplexity-answer.js';
import { createChatBackend } from './perplexity-chat.js';
import { refusalOf, unusable } from './perplexity-errors.js';

export interface Perplexity {
  readonly backend: Backend;
  /** False where the API shows no reasoning, so that a caller who asked for it can be told. */
  readonly hasThinking: boolean;
  /** VALIDATION_ERROR for arguments that cannot be served. Sends nothing. */
  prepare(request: PerplexityRequest): PreparedRequest;
  /**
   * One answer while the caller waits. RATE_LIMITED, NOT_CONFIGURED, PROVIDER_RETIRED, TIMEOUT,
   * CANCELLED, TOO_LARGE, PROVIDER; `mayHaveActed` tells whether it may have been billed.
   */
  ask(prepared: PreparedRequest, signal?: AbortSignal): Promise<PerplexityAnswer>;
  /** Begins a long run; where the API has no background runs it resolves with the answer itself. */
  start(prepared: PreparedRequest, signal?: AbortSignal): Promise<RunState>;
  /** The state of a run. An unknown run is PROVIDER with `details.httpStatus` 404. */
  poll(runId: string, signal?: AbortSignal): Promise<RunState>;
}

export interface PerplexityOptions {
  readonly apiKey: string;
  readonly backend: Backend;
  readonly clock: Clock;
  readonly baseUrl?: string;
  /** Agent presets; by default `low` for a search, `high` for deep research. */
  readonly presets?: { readonly search?: string; readonly deepResearch?: string };
  /** Pinned models. With `agent` beside the preset, with `chat-completions` in place of Sonar's. */
  readonly models?: { readonly search?: string; readonly deepResearch?: string };
  readonly askTimeoutMs?: number;
  readonly startTimeoutMs?: number;
  readonly pollTimeoutMs?: number;
  /** Before the first repetition of a request that can safely be repeated. */
  readonly retryDelayMs?: number;
}

/** What a backend needs of HTTP: the parsed body of a 2xx, or an error of the closed list. */
export interface Wire {
  post(path: string, body: unknown, timeoutMs: number, signal?: AbortSignal): Promise<unknown>;
  get(path: string, timeoutMs: number, signal?: AbortSignal): Promise<unknown>;
}

const DEFAULT_BASE_URL = 'https://api.perplexity.ai';

export function createPerplexity(options: PerplexityOptions): Perplexity {
  const wire = createWire(options);
  return options.backend === 'agent'
    ? createAgentBackend(wire, options)
    : createChatBackend(wire, options);
}

function createWire(options: PerplexityOptions): Wire {
  const apiKey = options.apiKey.trim();
  const secrets = [apiKey];
  const base = (options.baseUrl ?? DEFAULT_BASE_URL).replace(/\/+$/, '');
  const send = createHttpClient({
    secrets,
    ...(options.retryDelayMs === undefined ? {} : { retryDelayMs: options.retryDelayMs }),
  });
  const headers = () => ({ authorization: `Bearer ${checkedKey(apiKey)}` });
  const read = (reply: HttpReply) => {
    if (reply.status < 200 || reply.status > 299) {
      const { backend, clock } = options;
      throw refusalOf(reply, { backend, secrets, nowMs: clock.now() });
    }
    if (reply.json === undefined)
      throw unusable('Perplexity answered with something else than JSON.');
    return reply.json;
  };
  return {
    post: async (path, body, timeoutMs, signal) =>
      read(
        await send({
          method: 'POST',
          url: base + path,
          headers: headers(),
          body,
          timeoutMs,
          ...(signal === undefined ? {} : { signal }),
        }),
      ),
    get: async (path, timeoutMs, signal) =>
      read(
        await send({
          method: 'GET',
          url: base + path,
          headers: headers(),
          timeoutMs,
          ...(signal === undefined ? {} : { signal }),
        }),
      ),
  };
}

/** A key that cannot stand in a header would make fetch fail with the key in its message. */
function checkedKey(apiKey: string): string {
  if (/^[\x21-\x7e]+$/.test(apiKey)) return apiKey;
  throw new AppError(
    'NOT_CONFIGURED',
    'PERPLEXITY_API_KEY is empty or holds characters no key has.',
    {
      details: { outcome: 'not_sent' },
    },
  );
}
