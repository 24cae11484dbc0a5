/**
 * The interface to every model that makes embeddings, on this machine or on a server that the user named.
 * Vectors of different models cannot be compared; `identity` keeps them apart.
 */

export interface Embedder {
  /** Name of the model, shown in answers. */
  readonly model: string;
  /** Differs between all models whose vectors may differ: other weights, another server, another model name. */
  readonly identity: string;
  /** Vectors of length 1, in order. PROVIDER, TIMEOUT, RATE_LIMITED, NOT_CONFIGURED, CORRUPT (the model) or CANCELLED. */
  embed(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]>;
  close(): Promise<void>;
}

/** The vector scaled to length 1. A vector of zeros is returned unchanged. */
export function normalized(vector: Float32Array): Float32Array {
  let sum = 0;
  for (const value of vector) sum += value * value;
  const length = Math.sqrt(sum);
  return length === 0 ? vector : vector.map((value) => value / length);
}

/** The mean of vectors of one width, with length 1; `undefined` without vectors. */
export function meanVector(vectors: readonly Float32Array[]): Float32Array | undefined {
  const [first, ...others] = vectors;
  if (first === undefined || others.length === 0) return first;
  return normalized(
    first.map((value, at) => others.reduce((sum, other) => sum + (other[at] ?? 0), value)),
  );
}
