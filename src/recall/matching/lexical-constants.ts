/** The constants of the lexical score (docs/RECALL.md). */

/** So many terms of a message are near the message before it, and so many near the one after it. */
export const NEAR_TERMS = 20;

/** bench/recall.mjs tries other values. */
export interface LexicalConstants {
  readonly k1: number;
  readonly b: number;
  /** The word is at most NEAR_TERMS terms before or after the message, in its session. */
  readonly near: number;
  /** The word is in the first NEAR_TERMS terms of the speaker's previous or next turn. */
  readonly turn: number;
  /** Added for a word that is near the message and in the same speaker's turns. */
  readonly both: number;
}

export const LEXICAL_CONSTANTS: LexicalConstants = {
  k1: 0.7,
  b: 0.5,
  near: 0.7,
  turn: 0.5,
  both: 0.15,
};
