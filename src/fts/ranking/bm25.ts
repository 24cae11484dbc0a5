/**
 * FTS5's bm25(), with the same operations in the same order, so that the results are equal to the last bit:
 * k1 = 1.2, b = 0.75, and the scores of the phrases are added in their order in the query.
 */
import { exactLog } from './exact-log.js';

const K1 = 1.2;
const B = 0.75;
/** FTS5's idf of a phrase that more than half of the documents contain. */
const MIN_IDF = 1e-6;
/** Words of equal frequency have equal logarithms, and an exact logarithm takes as long as finding a rare word. */
const CACHED_LOGS = 4096;

const logs = new Map<number, number>();

/** Inverse document frequency of a phrase that `hitCount` of `documentCount` documents contain. */
export function idf(documentCount: number, hitCount: number): number {
  const ratio = (documentCount - hitCount + 0.5) / (hitCount + 0.5);
  let value = logs.get(ratio);
  if (value === undefined) {
    value = exactLog(ratio);
    if (logs.size === CACHED_LOGS) logs.clear();
    logs.set(ratio, value);
  }
  return value <= 0 ? MIN_IDF : value;
}

/** The length term of bm25's denominator, for a document of `length` tokens. */
export const lengthNorm = (length: number, averageLength: number) =>
  K1 * (1 - B + (B * length) / averageLength);

/** What one phrase adds to the score of a document. */
export function termScore(phraseIdf: number, frequency: number, norm: number): number {
  return phraseIdf * ((frequency * (K1 + 1)) / (frequency + norm));
}

/** An upper bound of `termScore` for a phrase of this idf, with room for rounding. */
export const maxTermScore = (phraseIdf: number) => phraseIdf * (K1 + 1) * (1 + 1e-9);
