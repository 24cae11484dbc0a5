/**
 * Computes the features of a candidate from the lexical scores, the vectors, the sessions and the form of the
 * messages. hybrid-score.ts scales them, and feature-weights.ts weighs them.
 */
import { firstAtLeast } from '../../base/arrays/binary-search.js';
import {
  type ConversationTerms,
  contentTerms,
  messagesIn,
  speakerName,
} from '../conversation-terms.js';
import type { Candidate, Hits, MessageScorer } from '../matching/lexical-score.js';
import type { IndexedConversation } from '../matching/message-table.js';
import { IS_QUESTION } from '../message-flags.js';
import { isInTime, type Question } from '../question/question.js';
import type { VectorScores } from '../vector-source.js';
import { wordsOf } from '../words/words.js';
import { type Session, type SessionInput, SessionScores } from './session-scores.js';

const MAX_PAIRS = 3;
/** The part of a session around a message has so many messages before it, and so many after it. */
const PART_REACH = 6;
/** A message with fewer stems is brief: "Thanks, that is great!" has little to say. */
const BRIEF_STEMS = 12;

/** Raw values, before they are scaled. */
export interface Features {
  readonly lexical: number;
  readonly vector: number;
  readonly before: number;
  readonly beforeVector: number;
  readonly after: number;
  readonly afterVector: number;
  readonly session: number;
  readonly sessionVector: number;
  readonly pairs: number;
  readonly isNamed: boolean;
  readonly isFirst: boolean;
  /**
   * Mean lexical score of the part of the session around the message; 0 for questions that do not ask for a
   * summary or an order.
   */
  readonly part: number;
  /** 1 for the first message of its session, and near 0 for the last. */
  readonly earliness: number;
  readonly answersQuestion: boolean;
  /** 0 for a message of BRIEF_STEMS or more, 1 for one without stems. */
  readonly brevity: number;
  /** It has a word such as "never", and the question asks whether something ever happened. */
  readonly saysNever: boolean;
  readonly flags: number;
  /** It was written in the time that the question names. */
  readonly isInTimeSpan: boolean;
}

/** Computes the features of the candidates of one question. */
export class FeatureReader {
  readonly #question: Question;
  readonly #vectors: VectorScores | undefined;
  readonly #sessions: SessionScores;
  readonly #pairs: PairCounts;
  readonly #names: ReadonlySet<string>;
  readonly #scorer: MessageScorer;
  readonly #usesPart: boolean;

  constructor(input: SessionInput) {
    this.#scorer = input.scorer;
    this.#usesPart = input.question.isOverview || input.question.asksForPastOrder;
    this.#question = input.question;
    this.#vectors = input.vectors;
    this.#sessions = new SessionScores(input);
    this.#pairs = new PairCounts(input.question);
    this.#names = new Set(input.question.words.map(({ text }) => text));
  }

  of({ indexed, message, lexical }: Candidate): Features {
    const { conversation, conversationId } = indexed;
    const words = (at: number) => this.#words(indexed, at);
    const vector = (at: number) => this.#vectors?.best(conversationId, at + 1)?.cosine ?? 0;
    const speaker = speakerName(conversation, message);
    const session = this.#sessions.of(indexed, message);
    const own = contentTerms(conversation, message);
    return {
      lexical: lexical.score,
      vector: vector(message),
      before: words(message - 1),
      beforeVector: vector(message - 1),
      after: words(message + 1),
      afterVector: vector(message + 1),
      session: session.words,
      sessionVector: session.vector,
      pairs: Math.min(MAX_PAIRS, this.#pairs.in(this.#scorer.hitsIn(indexed), message)) / MAX_PAIRS,
      isNamed: speaker !== undefined && wordsOf(speaker).some((name) => this.#names.has(name)),
      isFirst: session.first === message,
      part: this.#usesPart ? meanScore(words, session, message) : 0,
      earliness: 1 - (message - session.first) / (session.end - session.first),
      answersQuestion: answersQuestion(conversation, message),
      brevity: Math.max(0, 1 - own.length / BRIEF_STEMS),
      saysNever: this.#question.neverTerms.some((term) => own.includes(term)),
      flags: conversation.flags[message] ?? 0,
      isInTimeSpan: isInTime(this.#question, conversation.times[message]),
    };
  }

  /** The lexical score of a message, 0 if the conversation has no such message. */
  #words(indexed: IndexedConversation, message: number): number {
    const isMessage = message >= 0 && message < messagesIn(indexed.conversation);
    return isMessage ? (this.#scorer.score(indexed, message)?.score ?? 0) : 0;
  }
}

/** Mean score of the messages around `message` in its session; those that the session lacks count as 0. */
function meanScore(
  words: (message: number) => number,
  { first, end }: Session,
  message: number,
): number {
  const to = Math.min(message + PART_REACH + 1, end);
  let sum = 0;
  for (let at = Math.max(first, message - PART_REACH); at < to; at++) sum += words(at);
  return sum / (2 * PART_REACH + 1);
}

/** Follows a short question by another speaker. Such an answer seldom repeats its words. */
const answersQuestion = ({ flags, speakers }: ConversationTerms, message: number) =>
  ((flags[message - 1] ?? 0) & IS_QUESTION) !== 0 && speakers[message - 1] !== speakers[message];

/** Counts the pairs of neighbouring words of the question that are neighbours in a message too. */
class PairCounts {
  readonly #pairs: ReadonlySet<number>;

  constructor({ pairs }: Question) {
    this.#pairs = new Set(pairs.map(([first, second]) => 32 * first + second));
  }

  in(hits: Hits, message: number): number {
    if (this.#pairs.size === 0) return 0;
    const { positions, words, conversation } = hits;
    const end = conversation.starts[message + 1] ?? 0;
    const found = new Set<number>();
    for (
      let hit = firstAtLeast(positions, positions.length, conversation.starts[message] ?? 0);
      hit + 1 < positions.length;
      hit++
    ) {
      const next = positions[hit + 1] ?? 0;
      if (next >= end) break;
      const pair = 32 * (words[hit] ?? 0) + (words[hit + 1] ?? 0);
      if (next === (positions[hit] ?? 0) + 1 && this.#pairs.has(pair)) found.add(pair);
    }
    return found.size;
  }
}
