/**
 * Ranks the candidates: it computes their features (features.ts), scales them (hybrid-score.ts), and sums them with
 * weights (feature-weights.ts).
 */
import type { Candidate } from '../matching/lexical-score.js';
import { IS_INSTRUCTION } from '../message-flags.js';
import { answerScore, overviewScore, usualWeights, type Weights } from './feature-weights.js';
import { FeatureReader } from './features.js';
import { type ScaledFeatures, scaleFeatures } from './hybrid-score.js';
import { instructionMatches, type MatchInput } from './instruction-match.js';
import type { SessionInput } from './session-scores.js';

/** An instruction counts half if this many others fit the question better. */
const INSTRUCTION_HALF_RANK = 16;

export interface Ranked extends Candidate {
  readonly score: number;
}

export interface RankingInput extends SessionInput, MatchInput {
  /** Weights that differ from those of docs/RECALL.md. */
  readonly weights: Partial<Weights> | undefined;
}

/** The candidates, best first. */
export function rank(input: RankingInput): Ranked[] {
  const { candidates, question } = input;
  const reader = new FeatureReader(input);
  const features = candidates.map((candidate) => reader.of(candidate));
  const hasVectors = input.vectors !== undefined;
  const matches = hasVectors ? [] : instructionMatches(input);
  const fits = scaleFeatures(features, hasVectors, matches);
  if (question.isOverview) return sortedByScore(candidates, fits.map(overviewScore));
  const instructions = instructionShares(fits);
  const weights = { ...usualWeights(hasVectors), ...input.weights };
  const scores = fits.map((own, at) => answerScore(own, instructions[at] ?? 0, question, weights));
  return sortedByScore(candidates, scores);
}

const sortedByScore = (candidates: readonly Candidate[], scores: readonly number[]): Ranked[] =>
  candidates
    .map((candidate, at) => ({ ...candidate, score: scores[at] ?? 0 }))
    .sort((a, b) => b.score - a.score);

/**
 * By candidate: factor of an instruction, c / (c + number of instructions that fit better), where c is
 * INSTRUCTION_HALF_RANK. 0 if the message is no instruction.
 */
function instructionShares(features: readonly ScaledFeatures[]): Float64Array {
  const shares = new Float64Array(features.length);
  features
    .map(({ raw, instructionFit }, at) => ({ at, fit: instructionFit, flags: raw.flags }))
    .filter(({ flags }) => (flags & IS_INSTRUCTION) !== 0)
    .sort((a, b) => b.fit - a.fit)
    .forEach(({ at }, place) => {
      shares[at] = INSTRUCTION_HALF_RANK / (INSTRUCTION_HALF_RANK + place);
    });
  return shares;
}
