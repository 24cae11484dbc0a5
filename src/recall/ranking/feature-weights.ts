/**
 * The score of a candidate: the sum of its features with weights. docs/RECALL.md has the table of the weights and
 * the results without single features.
 */
import { IS_ASSISTANT, IS_LONG_REPLY, IS_PREFERENCE, IS_QUESTION } from '../message-flags.js';
import { instructionsApply, type Question } from '../question/question.js';
import type { ScaledFeatures } from './hybrid-score.js';

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

export const usualWeights = (hasVectors: boolean): Weights =>
  hasVectors ? WEIGHTS : WEIGHTS_WITHOUT_VECTORS;

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
/** An instruction seldom answers a question for a number ("How many tests do I have?"). */
const INSTRUCTION_SHARE_OF_NUMBER = 0.5;

export function answerScore(
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
export function overviewScore({ raw, lexical, part, fitBefore }: ScaledFeatures): number {
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
