/** Creates the client of a language model, with one interface (language-model.ts) for both API formats. */
import { createAnthropic } from './anthropic.js';
import type { LanguageModel } from './language-model.js';
import { createOpenAiChat } from './openai-chat.js';
import { isLocalEndpoint, type ProviderKind } from './provider-kinds.js';
import { createRetryingClient, type RetryingClientOptions } from './retrying-client.js';

export interface LanguageModelOptions extends Omit<RetryingClientOptions, 'timeoutMs'> {
  readonly kind: ProviderKind;
  readonly model: string;
  readonly timeoutMs?: number;
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
