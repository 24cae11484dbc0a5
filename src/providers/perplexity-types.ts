/** What callers see of Perplexity, how it is configured, and what its two wire formats need of HTTP. */
import type { Clock } from '../base/clock.js';
import type {
  Backend,
  PerplexityAnswer,
  PerplexityRequest,
  PreparedRequest,
  RunState,
} from './perplexity-answer.js';

export interface Perplexity {
  readonly backend: Backend;
  /** False where the API shows no reasoning, so that a caller who asked for it is informed. */
  readonly hasThinking: boolean;
  /** VALIDATION_ERROR for arguments that cannot be served. Sends nothing. */
  prepare(request: PerplexityRequest): PreparedRequest;
  /**
   * One answer while the caller waits. RATE_LIMITED, NOT_CONFIGURED, PROVIDER_RETIRED, TIMEOUT,
   * CANCELLED, TOO_LARGE, PROVIDER; `mayHaveActed` says whether it may have been billed.
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
