/**
 * The interface through which recall uses vectors. Recall computes and stores no vectors: `src/embeddings`
 * implements this interface, and `app` joins the two. A passage that has no vector yet is ranked by words
 * alone.
 */

/** `passage` is the index in the result of `passagesOf`, from 0. */
export interface PassageRef {
  readonly conversationId: string;
  /** From 1. */
  readonly seq: number;
  readonly passage: number;
}

export interface PassageScore extends PassageRef {
  /** Cosine of the angle to the question, -1 to 1. */
  readonly cosine: number;
}

/** The scores for one question. */
export interface VectorScores {
  /** The best cosine among the passages of a message; `undefined` if none has a vector yet. */
  best(conversationId: string, seq: number): PassageScore | undefined;
  /** The best cosine among the messages `from` up to, without, `to`; `undefined` if none has a vector yet. */
  highest(conversationId: string, from: number, to: number): number | undefined;
  /** The nearest passages for which `accepts` is true, best first, at most `limit`. */
  nearest(limit: number, accepts: (ref: PassageRef) => boolean): readonly PassageScore[];
}

export interface VectorSource {
  /**
   * `variants`: a question and other forms of it; passages are compared with the mean of their vectors.
   * `undefined` if vectors cannot be used now (the model is not ready, or nothing is embedded yet). Throws
   * CANCELLED.
   */
  ask(variants: readonly string[], signal?: AbortSignal): Promise<VectorScores | undefined>;
}
