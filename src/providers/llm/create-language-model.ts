/** Creates the client of a language model, with one interface (language-model.ts) for both API formats. */
import type { Clock } from '../../base/clock.js';
import { createAnthropic } from './anthropic.js';
import type { LanguageModel } from './language-model.js';
import { createOpenAiChat } from './openai-chat.js';
import { isLocalEndpoint, type ProviderKind } from './provider-kinds.js';
import { createRetryingClient } from './retrying-client.js';

export interface LanguageModelOptions {
  /** Name in error messages. */
  readonly name: string;
  readonly kind: ProviderKind;
  readonly endpoint: string;
  readonly model: string;
  readonly apiKey?: string | undefined;
  readonly clock: Clock;
  readonly timeoutMs?: number;
  /** Pause before the first repetition of a request that the server certainly did not carry out. */
  readonly retryDelayMs?: number;
}

/** Longer, because a local server may have to load the model first. */
const LOCAL_TIMEOUT_MS = 300_000;
const REMOTE_TIMEOUT_MS = 120_000;

export function createLanguageModel(options: LanguageModelOptions): LanguageModel {
  const { kind, endpoint, model } = options;
  const timeoutMs =
    options.timeoutMs ?? (isLocalEndpoint(endpoint) ? LOCAL_TIMEOUT_MS : REMOTE_TIMEOUT_MS);
  const client = createRetryingClient({ ...options, timeoutMs });
  const chat = { name: options.name, model, kind, apiKey: options.apiKey };
  return kind === 'anthropic' ? createAnthropic(client, chat) : createOpenAiChat(client, chat);
}
