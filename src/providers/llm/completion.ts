/**
 * The interface of a language model: a request, and a whole answer or an error.
 */

export interface CompletionRequest {
  readonly system: string;
  readonly prompt: string;
  /** Most tokens of the answer. */
  readonly maxTokens: number;
  readonly signal?: AbortSignal | undefined;
}

export interface Completion {
  /** Not blank; what a model thought aloud is left out. */
  readonly text: string;
  /** As the server names it. */
  readonly model: string;
  /** Tokens of the request as the server counted them; absent where it does not say. */
  readonly promptTokens?: number;
}

export interface LanguageModel {
  /**
   * NOT_CONFIGURED (key refused, or model unknown), TOO_LARGE (longer than the model takes),
   * RATE_LIMITED, TIMEOUT, CANCELLED, PROVIDER (anything else, half an answer among it).
   */
  complete(request: CompletionRequest): Promise<Completion>;
}
