/**
 * What recall asks of vectors, where there are any. Recall itself makes, keeps and loads none: whoever
 * has an embedding model implements this, and `app` joins the two. Every method may know less than all:
 * passages that have no vector yet are simply ranked by words.
 */

/** Passages are numbered within their message from 0, as `passagesOf` cuts them. */
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

/** The answer to one question. */
export interface VectorScores {
  /** The best cosine among a message's passages; `undefined` while none of them has a vector. */
  best(conversationId: string, seq: number): PassageScore | undefined;
  /** The nearest passages that `accepts` lets through, best first, `limit` at most. */
  nearest(limit: number, accepts: (ref: PassageRef) => boolean): readonly PassageScore[];
}

export interface VectorSource {
  /** Name of the model, shown in answers. */
  readonly model: string;
  /** `undefined` where no vector can be used now (model not ready, nothing embedded yet). CANCELLED. */
  ask(question: string, signal?: AbortSignal): Promise<VectorScores | undefined>;
  /**
   * Scores a few passages again with the vectors of their tokens: for each text the sum over the
   * question's tokens of the best cosine, divided by their number. `undefined` where that is not offered.
   */
  lateScores?(
    question: string,
    texts: readonly string[],
    signal?: AbortSignal,
  ): Promise<readonly number[] | undefined>;
}
