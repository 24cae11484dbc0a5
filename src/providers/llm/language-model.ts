/** The interface of a language model. A completion is a whole answer; one that was cut off is an error. */
import type { ProviderKind } from './provider-kinds.js';

export interface CompletionRequest {
  readonly system: string;
  readonly prompt: string;
  /** Maximum number of tokens of the answer. */
  readonly maxTokens: number;
  readonly signal?: AbortSignal | undefined;
  /** If it returns false, the request is not sent, and not repeated. */
  readonly isWanted?: (() => boolean) | undefined;
}

export interface Completion {
  /** Not blank, and without the thinking of the model. */
  readonly text: string;
  /** Name of the model in the server's reply. */
  readonly model: string;
  /** Tokens of the request as the server counted them; absent if the reply does not have them. */
  readonly promptTokens?: number;
}

/** What an adapter for one format of requests needs. */
export interface ChatOptions {
  /** Name in error messages. */
  readonly name: string;
  readonly model: string;
  readonly kind: ProviderKind;
  readonly apiKey: string | undefined;
}

export interface LanguageModel {
  /**
   * Throws NOT_CONFIGURED (the key was refused, or the model is unknown), TOO_LARGE (the request is longer
   * than the context of the model), RATE_LIMITED, TIMEOUT, CANCELLED, or PROVIDER (every other error,
   * including an incomplete answer).
   */
  complete(request: CompletionRequest): Promise<Completion>;
}
