/**
 * Ranks the candidates: it computes their features, scales them to 0..1 among the candidates, and sums them
 * with weights. docs/RECALL.md has the table of the weights and the results without single features.
 */

import type { Candidate, MessageScorer } from '../matching/lexical-score.js';
import {
  IS_ASSISTANT,
  IS_INSTRUCTION,
  IS_LONG_REPLY,
  IS_PREFERENCE,
  IS_QUESTION,
} from '../message-flags.js';
import { instructionsApply, type Question } from '../question.js';
import type { VectorScores } from '../vector-source.js';
import type { Vocabulary } from '../vocabulary.js';
import { FeatureReader, type Features } from './features.js';
import { instructionMatches } from './instruction-match.js';

/** The weight of each feature, if there are vectors. */
const WEIGHTS = {
  lexical: 1,
  vector: 1.3,
  before: 0.4,
  after: 0.35,
  session: 0.15,
  sessionVector: 0.25,
  pairs: 0.5,
  isQuestion: -0.15,
  isBrief: -0.3,
  saysNever: 0.4,
  answeredQuestion: 0.5,
  namedSpeaker: 0.35,
  firstOfSession: 0.35,
  longReply: -1.2,
  longReplyAsked: 1.1,
  longReplyToLong: 0.6,
  replyIfOrderAsked: -1,
  earlyIfOrderAsked: 0.8,
  partIfOrderAsked: 0.5,
  instruction: 0.25,
  instructionAsked: 0.5,
  /** Instead of `instructionAsked` for an instruction that `instructionMatches` compares. */
  instructionMatched: 0.2,
  instructionFits: 0.8,
  preferenceAsked: 0.6,
  preferenceFits: 0.6,
  timeSpan: 1,
};
export type Weights = Readonly<Record<keyof typeof WEIGHTS, number>>;
const WEIGHTS_WITHOUT_VECTORS: Weights = {
  ...WEIGHTS,
  lexical: 1.3,
  answeredQuestion: 0.6,
  instructionFits: 0.9,
};

/** Zero for features of the order and form of messages. Words, sessions and speakers count. */
export const CONTENT_ONLY_WEIGHTS: Partial<Weights> = {
  before: 0,
  after: 0,
  isQuestion: 0,
  isBrief: 0,
  saysNever: 0,
  answeredQuestion: 0,
  firstOfSession: 0,
  longReply: 0,
  longReplyAsked: 0,
  longReplyToLong: 0,
  replyIfOrderAsked: 0,
  earlyIfOrderAsked: 0,
  partIfOrderAsked: 0,
  instruction: 0,
  instructionAsked: 0,
  instructionMatched: 0,
  instructionFits: 0,
  preferenceAsked: 0,
  preferenceFits: 0,
};

/** Shares of the lexical score and the vector score in a combined score. */
const WITH_VECTORS = { lexical: 0.5, vector: 0.5 };
const WITHOUT_VECTORS = { lexical: 0.8, vector: 0 };
type Shares = typeof WITH_VECTORS;
/** For a question that asks for a summary. A reply to a message on the subject belongs to it. */
const OVERVIEW_WEIGHTS = {
  lexical: 0.4,
  before: 0.3,
  part: 0.5,
  early: 0.4,
  longReply: 0.25,
  timeSpan: 0.4,
};
/** A question with more words asks for details, which long replies have. */
const LONG_QUESTION_WORDS = 10;
/** An instruction counts half if this many others fit the question better. */
const INSTRUCTION_HALF_RANK = 16;
/** An instruction seldom answers a question for a number ("How many tests do I have?"). */
const INSTRUCTION_SHARE_OF_NUMBER = 0.5;

export interface Ranked extends Candidate {
  readonly score: number;
}

export interface RankingInput {
  readonly question: Question;
  /** Their conversations are the collection for the BM25 of sessions. */
  readonly candidates: readonly Candidate[];
  readonly scorer: MessageScorer;
  readonly vectors: VectorScores | undefined;
  readonly vocabulary: Vocabulary;
  /** Weights that differ from those of docs/RECALL.md. */
  readonly weights: Partial<Weights> | undefined;
}

/** The candidates, best first. */
export function rank(input: RankingInput): Ranked[] {
  const { candidates, question } = input;
  const reader = new FeatureReader(input);
  const features = candidates.map((candidate) => reader.of(candidate));
  const spans = spansOf(features);
  const shares = input.vectors === undefined ? WITHOUT_VECTORS : WITH_VECTORS;
  const matches = input.vectors === undefined ? instructionMatches(input) : [];
  const fits = features.map((own, at) => scaledFeatures(own, spans, shares, matches[at]));
  if (question.isOverview) return sortedByScore(candidates, fits.map(overviewScore));
  const instructions = instructionShares(fits);
  const usual = input.vectors === undefined ? WEIGHTS_WITHOUT_VECTORS : WEIGHTS;
  const weights = { ...usual, ...input.weights };
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

/** Minimum and maximum of a feature among the candidates. */
type Span = { least: number; most: number };
type Spans = Readonly<Record<'lexical' | 'vector' | 'session' | 'sessionVector' | 'part', Span>>;

function spansOf(features: readonly Features[]): Spans {
  const span = (name: keyof Spans, least: number): Span => {
    let most = least;
    let lowest = Number.POSITIVE_INFINITY;
    for (const { [name]: value } of features) {
      most = Math.max(most, value);
      lowest = Math.min(lowest, value);
    }
    return { least: least === 0 ? 0 : lowest, most };
  };
  return {
    lexical: span('lexical', 0),
    vector: span('vector', -1),
    session: span('session', 0),
    sessionVector: span('sessionVector', -1),
    part: span('part', 0),
  };
}

/** `value` as 0..1 between the minimum and the maximum. */
const scaled = (value: number, { least, most }: Span) =>
  most > least ? Math.max(0, (value - least) / (most - least)) : 0;

/** The features of a candidate, scaled, and the combined scores of the message and of its neighbours. */
interface ScaledFeatures {
  readonly raw: Features;
  readonly lexical: number;
  readonly vector: number;
  readonly session: number;
  readonly sessionVector: number;
  readonly part: number;
  /** How well the message fits the question. */
  readonly fit: number;
  /** The same for an instruction, which may have other words than the question. */
  readonly instructionFit: number;
  /** `instructionFit` is that of `instructionMatches`. */
  readonly isMatched: boolean;
  readonly fitBefore: number;
  readonly fitAfter: number;
}

function scaledFeatures(
  raw: Features,
  spans: Spans,
  shares: Shares,
  match: number | undefined,
): ScaledFeatures {
  const lexical = scaled(raw.lexical, spans.lexical);
  const vector = scaled(raw.vector, spans.vector);
  const combined = (words: number, cosine: number) =>
    shares.lexical * words + shares.vector * cosine;
  const neighbour = (words: number, cosine: number) =>
    combined(scaled(words, spans.lexical), scaled(cosine, spans.vector));
  const fit = combined(lexical, vector);
  return {
    raw,
    lexical,
    vector,
    session: scaled(raw.session, spans.session),
    sessionVector: scaled(raw.sessionVector, spans.sessionVector),
    part: scaled(raw.part, spans.part),
    fit,
    instructionFit: match ?? fit,
    isMatched: match !== undefined,
    fitBefore: neighbour(raw.before, raw.beforeVector),
    fitAfter: neighbour(raw.after, raw.afterVector),
  };
}

function answerScore(
  features: ScaledFeatures,
  instructionShare: number,
  question: Question,
  weights: Weights,
): number {
  const { raw, fit, instructionFit, fitBefore, fitAfter } = features;
  const { flags } = raw;
  const has = (flag: number) => ((flags & flag) === 0 ? 0 : 1);
  const ofLongReply =
    weights.longReply +
    (question.asksAssistant ? weights.longReplyAsked : 0) +
    (question.words.length > LONG_QUESTION_WORDS ? weights.longReplyToLong : 0);
  const asksForEvents = question.asksForPastOrder && !question.asksAssistant ? 1 : 0;
  const isRequest = question.isRequest ? 1 : 0;
  const asksNow = instructionWeight(question);
  const asked = features.isMatched ? weights.instructionMatched : weights.instructionAsked;
  return (
    weights.lexical * features.lexical +
    weights.vector * features.vector +
    weights.before * fitBefore +
    weights.after * fitAfter +
    weights.session * features.session +
    weights.sessionVector * features.sessionVector +
    weights.pairs * raw.pairs +
    weights.isQuestion * has(IS_QUESTION) +
    weights.isBrief * raw.brevity +
    weights.saysNever * (raw.saysNever && !has(IS_ASSISTANT) ? 1 : 0) +
    weights.answeredQuestion * (raw.answersQuestion ? fitBefore : 0) +
    weights.namedSpeaker * (raw.isNamed ? 1 : 0) +
    weights.firstOfSession * (raw.isFirst && asksForEvents === 0 ? 1 : 0) +
    has(IS_LONG_REPLY) * ofLongReply +
    asksForEvents *
      (weights.replyIfOrderAsked * has(IS_ASSISTANT) +
        weights.earlyIfOrderAsked * raw.earliness +
        weights.partIfOrderAsked * features.part) +
    instructionShare *
      (weights.instruction + asksNow * (asked + weights.instructionFits * instructionFit)) +
    has(IS_PREFERENCE) * isRequest * (weights.preferenceAsked + weights.preferenceFits * fit) +
    weights.timeSpan * (raw.isInTimeSpan ? 1 : 0)
  );
}

/** How much standing instructions count for a question. */
function instructionWeight(question: Question): number {
  if (!instructionsApply(question)) return 0;
  return question.asksForNumber ? INSTRUCTION_SHARE_OF_NUMBER : 1;
}

/** For a summary, the subject and the length of a message matter, and its speaker does not. */
function overviewScore({ raw, lexical, part, fitBefore }: ScaledFeatures): number {
  const isLong = (raw.flags & IS_LONG_REPLY) !== 0;
  return (
    OVERVIEW_WEIGHTS.lexical * lexical +
    OVERVIEW_WEIGHTS.before * fitBefore +
    OVERVIEW_WEIGHTS.part * part +
    OVERVIEW_WEIGHTS.early * raw.earliness +
    (isLong ? OVERVIEW_WEIGHTS.longReply : 0) +
    (raw.isInTimeSpan ? OVERVIEW_WEIGHTS.timeSpan : 0)
  );
}
