/** The interface to Perplexity: requests, options, and the HTTP functions that both backends need. */
import type { Clock } from '../base/clock.js';
import type { JsonObject } from '../base/json-fields.js';
import type { PerplexityAnswer, RunState } from './perplexity-answer.js';
import type { SearchFilters } from './perplexity-filters.js';

export type AskKind = 'search' | 'deep_research';
export type Backend = 'agent' | 'chat-completions';

export interface SentMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

export const EFFORTS = ['low', 'medium', 'high'] as const;

export interface PerplexityRequest {
  readonly kind: AskKind;
  /** System messages first, then user and assistant in turn; the last message is the user's. */
  readonly messages: readonly SentMessage[];
  readonly filters: SearchFilters;
  readonly reasoningEffort?: (typeof EFFORTS)[number];
  readonly relatedQuestions: boolean;
}

/** A checked request in the format of the backend. */
export interface PreparedRequest {
  readonly body: JsonObject;
  /** Differences between the request and what the backend does. They must be part of the answer. */
  readonly notes: readonly string[];
}

export interface Perplexity {
  readonly backend: Backend;
  /** False if the API returns no thinking, so that a caller who requested it is informed. */
  readonly hasThinking: boolean;
  /** Throws VALIDATION_ERROR for arguments that the backend cannot handle. Sends nothing. */
  prepare(request: PerplexityRequest): PreparedRequest;
  /**
   * Waits for one answer. Throws RATE_LIMITED, NOT_CONFIGURED, PROVIDER_RETIRED, TIMEOUT, CANCELLED,
   * TOO_LARGE or PROVIDER; `mayHaveActed` returns whether the request may have been billed.
   */
  ask(prepared: PreparedRequest, control?: SendControl): Promise<PerplexityAnswer>;
  /** Starts a long run. If the API has no background runs, it resolves with the answer. */
  start(prepared: PreparedRequest, control?: SendControl): Promise<RunState>;
  /** The state of a run. Throws PROVIDER with `details.httpStatus` 404 for an unknown run. */
  poll(runId: string, signal?: AbortSignal): Promise<RunState>;
}

export interface PerplexityOptions {
  readonly apiKey: string;
  readonly backend: Backend;
  readonly clock: Clock;
  /** Without a slash at its end. */
  readonly baseUrl: string;
  /** Presets of the Agent API. */
  readonly presets: { readonly search: string; readonly deepResearch: string };
  /** Sent in addition to the preset (`agent`), or instead of the Sonar models (`chat-completions`). */
  readonly model?: string | undefined;
  /** A caller waits for a search. */
  readonly askTimeoutMs: number;
  readonly startTimeoutMs?: number;
  /** Pause before the first repetition of a request that can safely be repeated. */
  readonly retryDelayMs?: number;
}

/** See `HttpCall`. */
export interface SendControl {
  readonly signal?: AbortSignal;
  readonly isWanted?: () => boolean;
}

/** The HTTP functions: they return the parsed body of a reply with status 2xx, or throw an AppError. */
export interface Wire {
  post(path: string, body: unknown, timeoutMs: number, control?: SendControl): Promise<unknown>;
  get(path: string, timeoutMs: number, signal?: AbortSignal): Promise<unknown>;
}
