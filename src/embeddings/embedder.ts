/**
 * Texts in, vectors out: the one interface to whatever model makes embeddings, on this machine or on a
 * server that the user named. Vectors of different models say nothing about each other; `identity`
 * keeps them apart.
 */

export interface Embedder {
  /** The name that answers show. */
  readonly model: string;
  /** Differs wherever vectors could: other weights, other server, other model. */
  readonly identity: string;
  /** Vectors of length 1, one a text, in order. PROVIDER, TIMEOUT, RATE_LIMITED, NOT_CONFIGURED, CANCELLED. */
  embed(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]>;
  close(): Promise<void>;
}

/** The vector scaled to length 1; one of zeros stays. */
export function normalized(vector: Float32Array): Float32Array {
  let sum = 0;
  for (const value of vector) sum += value * value;
  const length = Math.sqrt(sum);
  return length === 0 ? vector : vector.map((value) => value / length);
}
