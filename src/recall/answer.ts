/**
 * Finds the messages that answer a question, in four steps:
 *
 * 1. The postings of its words give the words in each message (`matching/found-words.ts`).
 * 2. Messages that match by their words or their time are counted (`matching/word-matches.ts`).
 * 3. The candidates are selected by their lexical scores and vectors (`matching/candidate-selection.ts`,
 *    `matching/lexical-score.ts`).
 * 4. They are ranked by their features (`ranking/`).
 */
import type { TimeSlice } from '../base/async/time-slice.js';
import { selectMatches } from './matching/candidate-selection.js';
import { findWords, slotsOf } from './matching/found-words.js';
import type { LexicalConstants } from './matching/lexical-constants.js';
import { type Candidate, MessageScorer } from './matching/lexical-score.js';
import type { TableView } from './matching/message-table.js';
import { everyWordOf, type MatchOptions, WordMatches } from './matching/word-matches.js';
import {
  asksOnlyForTime,
  isInTime,
  type Question,
  type QuestionOptions,
} from './question/question.js';
import type { Weights } from './ranking/feature-weights.js';
import { type Ranked, rank } from './ranking/ranking.js';
import type { VectorScores } from './vector-source.js';
import type { Vocabulary } from './vocabulary.js';

export interface AskOptions extends QuestionOptions, MatchOptions {
  /** Which conversations are searched; all if absent. */
  readonly inScope?: (conversationId: string) => boolean;
  readonly signal?: AbortSignal;
  /** Weights that differ from those of docs/RECALL.md. */
  readonly weights?: Partial<Weights>;
  readonly lexical?: Partial<LexicalConstants>;
}

/** Why a message is in an answer. */
export interface Evidence {
  /** Words of the question, as typed, whose stems are in the message's content. */
  readonly words: readonly string[];
  /** Words that are only near the message or in the same speaker's turns. */
  readonly around: readonly string[];
  /** Words in its speaker's name or its date. */
  readonly labelWords: readonly string[];
  readonly cosine?: number;
}

export interface MessageRef {
  readonly conversationId: string;
  /** From 1. */
  readonly seq: number;
}

export interface RecallHit extends MessageRef {
  /** In the answer, from 0. */
  readonly position: number;
  /** Index of the best passage, from 0, in the order of `passagesOf`. */
  readonly passage: number;
  /** Comparable only within one answer. */
  readonly score: number;
  /** Lexical score, 0 to about 1.9. It does not depend on the other messages of the answer. */
  readonly lexical: number;
  readonly evidence: Evidence;
}

export interface RecallAnswer {
  readonly question: Question;
  /**
   * Number of messages that match: those that have words of the question, and those among the first `depth`
   * that only have neighbours with its words.
   */
  readonly total: number;
  /** Whether the content of one message has all words, in whatever form. */
  readonly hasAllWords: boolean;
  /** At most `count` messages from `position` on (0 is the best), of the first `depth`. */
  hits(position: number, count: number): RecallHit[];
}

export interface AnswerInput {
  readonly question: Question;
  readonly options: AskOptions;
  readonly table: TableView;
  readonly vocabulary: Vocabulary;
  readonly slice: TimeSlice;
}

/** Steps 1 and 2, and the slots of the conversations that can have matches. */
export async function findMatches({ question, options, table, slice }: AnswerInput) {
  const found = await findWords(question, table, options.inScope, slice);
  const needsAll = options.vectors !== undefined || asksOnlyForTime(question);
  const slots = slotsOf(found, needsAll);
  const matches = await WordMatches.count(question, found, slots, options, slice);
  return { found, slots, matches };
}

/** All steps. */
export async function answerTo(input: AnswerInput): Promise<RecallAnswer> {
  const { question, options, table, vocabulary, slice } = input;
  const { found, slots, matches } = await findMatches(input);
  const scorer = new MessageScorer({
    question,
    masks: table.masks,
    statistics: found.statistics,
    vocabularySize: vocabulary.size,
    constants: options.lexical,
  });
  const selection = { question, found, slots, matches, scorer, options, slice };
  const { candidates, others } = await selectMatches(selection);
  const ranked = rank({
    question,
    candidates,
    scorer,
    vocabulary,
    vectors: options.vectors,
    weights: options.weights,
  });
  const isShown = ({ indexed, message }: Candidate) => !matches.isLeftOut(indexed, message);
  const all = [...ranked, ...others.map((other) => ({ ...other, score: 0 }))].filter(isShown);
  const neighbours = all.filter(({ indexed, message }) => !matches.matches(indexed, message));
  const everyWord = everyWordOf(question);
  return {
    question,
    total: matches.total + neighbours.length,
    hasAllWords: matches.hasAllWords || neighbours.some(({ lexical }) => lexical.own === everyWord),
    hits: (position, count) =>
      all
        .slice(position, position + count)
        .map((ranked, at) => hitOf(ranked, position + at, question, options.vectors)),
  };
}

function hitOf(
  { indexed, message, lexical, score }: Ranked,
  position: number,
  question: Question,
  vectors: VectorScores | undefined,
): RecallHit {
  const { conversationId, conversation } = indexed;
  const { own, around, labelWords, passage } = lexical;
  const texts = (mask: number) =>
    question.words.filter((_, word) => (mask >> word) & 1).map(({ text }) => text);
  const vector = vectors?.best(conversationId, message + 1);
  const phrase = isInTime(question, conversation.times[message])
    ? question.timeSpan?.phrase
    : undefined;
  return {
    conversationId,
    seq: message + 1,
    position,
    passage: own === 0 && vector !== undefined ? vector.passage : passage,
    score,
    lexical: lexical.score,
    evidence: {
      words: texts(own),
      around: texts(around & ~own),
      labelWords: [...texts(labelWords & ~own), ...(phrase === undefined ? [] : [phrase])],
      ...(vector !== undefined && { cosine: vector.cosine }),
    },
  };
}
