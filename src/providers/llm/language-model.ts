/**
 * A language model behind one interface, whichever of the two wire formats its server speaks. A
 * completion is a whole answer or an error: an answer that was cut short is never handed out.
 */
import type { Clock } from '../../base/clock.js';
import { createAnthropic } from './anthropic.js';
import type { LanguageModel } from './completion.js';
import { createWire } from './llm-wire.js';
import { createOpenAiChat } from './openai-chat.js';
import { type ProviderKind, staysHere } from './provider-kinds.js';

export interface LanguageModelOptions {
  /** In error messages. */
  readonly name: string;
  readonly kind: ProviderKind;
  readonly endpoint: string;
  readonly model: string;
  readonly apiKey?: string | undefined;
  readonly clock: Clock;
  readonly timeoutMs?: number;
  /** Before the first repetition of what was surely not carried out. */
  readonly retryDelayMs?: number;
  /** Longer than this is not waited for a server that asks to come back later. */
  readonly mostWaitMs?: number;
}

/** A local server may have to load the model first. */
const LOCAL_TIMEOUT_MS = 300_000;
const REMOTE_TIMEOUT_MS = 120_000;

export function createLanguageModel(options: LanguageModelOptions): LanguageModel {
  const { kind, endpoint, model } = options;
  const timeoutMs =
    options.timeoutMs ?? (staysHere(endpoint) ? LOCAL_TIMEOUT_MS : REMOTE_TIMEOUT_MS);
  const wire = createWire({ ...options, timeoutMs });
  return kind === 'anthropic'
    ? createAnthropic(wire, model, options.apiKey)
    : createOpenAiChat(wire, { model, kind, apiKey: options.apiKey });
}
