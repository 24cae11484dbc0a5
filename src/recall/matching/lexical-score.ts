/**
 * The lexical score of docs/RECALL.md: how well the words of a question fit a message. It depends on the
 * message and its neighbours only, so one message is scored at a time, and a bound for its score is
 * computed without reading its terms.
 */

import { Uint32List } from '../../base/arrays/typed-array.js';
import { type ConversationTerms, contentStart, messagesIn } from '../conversation-terms.js';
import { type Question, wordsByTerm } from '../question/question.js';
import type { WordStatistics } from './found-words.js';
import { LEXICAL_CONSTANTS, type LexicalConstants, NEAR_TERMS } from './lexical-constants.js';
import type { IndexedConversation } from './message-table.js';
import { turnAfter, turnBefore } from './neighbours.js';
import { beginsSession } from './sessions.js';
import { MaskWeights, maskOf, type WordMasks } from './word-masks.js';

/** Farther away, there are so many messages that a look at their words takes longer than what it can save. */
const MAX_REACH = 16;

/** By word of the question: its weight times its idf, scaled so that the sum is 1. */
function wordWeights({ words }: Question, { counts, messages }: WordStatistics): Float64Array {
  const weights = Float64Array.from(words, ({ weight }, word) => {
    const count = counts[word] ?? 0;
    // The idf of Robertson and Spärck Jones, with Lucene's `1 +` so that it is never negative.
    return weight * Math.log(1 + (messages - count + 0.5) / (count + 0.5));
  });
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return sum > 0 ? weights.map((weight) => weight / sum) : weights;
}

/** The score of a message. The others are bitmasks of the question's words. */
export interface LexicalScore {
  readonly score: number;
  /** Index of its best passage, from 0. */
  readonly passage: number;
  /** The words in its content. */
  readonly own: number;
  /** The words near it or in the same speaker's turns. */
  readonly around: number;
  /** The words in its speaker's name and its date. */
  readonly labelWords: number;
}

/** Positions of the question's words among the terms of one conversation, ascending. */
export interface Hits {
  readonly conversation: ConversationTerms;
  readonly positions: Uint32Array;
  /** By hit: index of the word in the question. */
  readonly words: Uint8Array;
}

export interface Candidate {
  readonly indexed: IndexedConversation;
  readonly message: number;
  readonly lexical: LexicalScore;
}

export interface ScorerInput {
  readonly question: Question;
  /** All term IDs are lower. */
  readonly vocabularySize: number;
  readonly masks: WordMasks;
  readonly statistics: WordStatistics;
  /** Those that differ from LEXICAL_CONSTANTS. */
  readonly constants?: Partial<LexicalConstants> | undefined;
}

/** Scores messages for one question. */
export class MessageScorer {
  /** By term ID: 1 + index of the question's word that has this stem; 0 if none has it. */
  readonly #wordOf: Uint8Array;
  readonly #masks: WordMasks;
  /** By word of the question. */
  readonly weights: Float64Array;
  readonly #maskWeights: MaskWeights;
  readonly #passageLength: number;
  readonly #constants: LexicalConstants;
  /** The most that a word around a message adds to its score, for each unit of its weight. */
  readonly #beside: number;
  /** How much more it adds if it is in the message once, or more often. */
  readonly #gains: { readonly once: number; readonly often: number };
  readonly #frequencies: Uint32Array;
  readonly #hits = new Map<IndexedConversation, Hits>();
  /** Positions and words of the message that is scored. */
  readonly #positions = new Uint32List();
  readonly #words = new Uint32List();

  constructor(input: ScorerInput) {
    const { question, vocabularySize, masks, statistics, constants } = input;
    this.#wordOf = new Uint8Array(vocabularySize);
    for (const [term, word] of wordsByTerm(question)) this.#wordOf[term] = word + 1;
    this.#masks = masks;
    this.weights = wordWeights(question, statistics);
    this.#maskWeights = new MaskWeights(this.weights);
    this.#passageLength = statistics.passageLength;
    this.#constants = { ...LEXICAL_CONSTANTS, ...constants };
    const { k1, near, turn, both } = this.#constants;
    this.#beside = Math.max(near, turn) + both;
    // A word counts (k1 + 1) f / (f + norm) in a passage, which is less than k1 + 1 for all frequencies f.
    const most = Math.max(near, turn);
    const once = (k1 + 1) / (1 + this.#norm(0));
    this.#gains = { once: Math.max(once, most) - most, often: Math.max(k1 + 1, most) - most };
    this.#frequencies = new Uint32Array(this.weights.length);
  }

  /** Sum of the weights of the words in a bitmask. */
  weightOf(words: number): number {
    return this.#maskWeights.of(words);
  }

  /**
   * The words of a message and of all messages whose words can count for it, as a bitmask; those of its
   * conversation, `words`, if these can be many messages.
   */
  wordsAround(indexed: IndexedConversation, message: number, words: number): number {
    const { all } = this.#masks;
    const { numbers, reach } = indexed;
    if (reach > MAX_REACH) return words;
    const end = Math.min(message + reach + 1, numbers.length);
    let around = 0;
    for (let at = Math.max(0, message - reach); at < end; at++)
      around |= all[numbers[at] ?? 0] ?? 0;
    return around;
  }

  /**
   * No message of a conversation has a higher score, if the words of the conversation have the weight
   * `allWeight` and the message has `gain` as in `gainOf`.
   */
  boundOf(gain: number, allWeight: number): number {
    return gain + this.#beside * allWeight;
  }

  /** What the words of a message can add to its score more than if they were only around it. */
  gainOf(number: number): number {
    const { all, repeated } = this.#masks;
    const { once, often } = this.#gains;
    const ofRepeated = this.weightOf(repeated[number] ?? 0);
    return once * this.weightOf(all[number] ?? 0) + (often - once) * ofRepeated;
  }

  /**
   * The score of a message. `undefined` if it is certainly lower than `threshold`, which is often known without
   * reading its terms.
   */
  score(indexed: IndexedConversation, message: number, threshold = 0): LexicalScore | undefined {
    const { conversation } = indexed;
    const masks = this.#masks;
    const near = this.#near(indexed, message);
    const turn =
      maskOf(masks.heads, indexed, turnBefore(conversation, message)) |
      maskOf(masks.heads, indexed, turnAfter(conversation, message));
    const number = indexed.numbers[message] ?? 0;
    const words = masks.all[number] ?? 0;
    const around = near | turn;
    if ((words | around) === 0) return threshold > 0 ? undefined : NO_SCORE;
    if (this.#bound(conversation, message, { number, near, turn }) < threshold) return undefined;
    this.#positions.clear();
    this.#words.clear();
    if (words !== 0) this.#readHits(conversation, message);
    const content = contentStart(conversation, message);
    const { array: positions, count } = this.#positions;
    let labelWords = 0;
    let contentHit = 0;
    for (; contentHit < count && (positions[contentHit] ?? 0) < content; contentHit++)
      labelWords |= 1 << (this.#words.array[contentHit] ?? 0);
    const beside = { near, turn, labelWords, contentHit };
    const { score, passage } = this.#bestPassage(conversation, message, beside);
    return { score, passage, own: maskOf(masks.content, indexed, message), around, labelWords };
  }

  /** No lower than the score of the message with this number. It reads no terms. */
  #bound(
    conversation: ConversationTerms,
    message: number,
    { number, near, turn }: { number: number; near: number; turn: number },
  ): number {
    const own = this.#masks.all[number] ?? 0;
    const repeated = this.#masks.repeated[number] ?? 0;
    const around = near | turn;
    const { k1, near: ofNear, turn: ofTurn, both } = this.#constants;
    const most = Math.max(ofNear, ofTurn);
    const once = (k1 + 1) / (1 + this.#leastNorm(conversation, message));
    return (
      Math.max(k1 + 1, most) * this.weightOf(repeated) +
      once * this.weightOf(own & ~repeated & ~around) +
      Math.max(once, most) * this.weightOf(own & ~repeated & around) +
      ofNear * this.weightOf(near & ~turn & ~own) +
      ofTurn * this.weightOf(turn & ~near & ~own) +
      most * this.weightOf(near & turn & ~own) +
      both * this.weightOf(near & turn)
    );
  }

  /** The norm of BM25 for the shortest passage that the message can have. */
  #leastNorm({ firstPassages, passages }: ConversationTerms, message: number): number {
    const first = firstPassages[message] ?? 0;
    const hasOne = (firstPassages[message + 1] ?? 0) === first + 1;
    const terms = hasOne ? (passages[2 * first + 1] ?? 0) - (passages[2 * first] ?? 0) : 0;
    return this.#norm(terms);
  }

  /** The norm of BM25 for a passage of so many terms. */
  #norm(terms: number): number {
    const { k1, b } = this.#constants;
    return k1 * (1 - b + (b * terms) / this.#passageLength);
  }

  /** All words of the question in a conversation. They are read once. */
  hitsIn(indexed: IndexedConversation): Hits {
    const known = this.#hits.get(indexed);
    if (known !== undefined) return known;
    const { conversation } = indexed;
    this.#positions.clear();
    this.#words.clear();
    for (let message = 0; message < messagesIn(conversation); message++)
      if (maskOf(this.#masks.all, indexed, message) !== 0) this.#readHits(conversation, message);
    const { array, count } = this.#positions;
    const hits = {
      conversation,
      positions: array.slice(0, count),
      words: Uint8Array.from(this.#words.array.subarray(0, count)),
    };
    this.#hits.set(indexed, hits);
    return hits;
  }

  /** Appends the words of a message to the lists. */
  #readHits({ terms, starts }: ConversationTerms, message: number): void {
    const wordOf = this.#wordOf;
    const end = starts[message + 1] ?? 0;
    for (let position = starts[message] ?? 0; position < end; position++) {
      const word = wordOf[terms[position] ?? 0] ?? 0;
      if (word === 0) continue;
      this.#positions.push(position);
      this.#words.push(word - 1);
    }
  }

  /** Bitmask of the words at most NEAR_TERMS terms before or after the message, in its session. */
  #near(indexed: IndexedConversation, message: number): number {
    const { starts, times } = indexed.conversation;
    const from = (starts[message] ?? 0) - NEAR_TERMS;
    const to = (starts[message + 1] ?? 0) + NEAR_TERMS;
    let words = 0;
    let at = message;
    while (at > 0 && (starts[at] ?? 0) > from && !beginsSession(times, at)) {
      at--;
      words |= this.#partOf(indexed, at, from, to, at === message - 1);
    }
    at = message + 1;
    while (at < times.length && (starts[at] ?? 0) < to && !beginsSession(times, at)) {
      words |= this.#partOf(indexed, at, from, to, at === message + 1);
      at++;
    }
    return words;
  }

  /** Bitmask of the words that a message has at the positions `from` up to `to`. */
  #partOf(
    indexed: IndexedConversation,
    message: number,
    from: number,
    to: number,
    isNext: boolean,
  ): number {
    const { starts } = indexed.conversation;
    const start = starts[message] ?? 0;
    const end = starts[message + 1] ?? 0;
    if (start >= from && end <= to) return maskOf(this.#masks.all, indexed, message);
    const part =
      start < from
        ? maskOf(this.#masks.tails, indexed, message)
        : maskOf(this.#masks.heads, indexed, message);
    // Of a message side by side with that which is scored, the part is its head or its tail.
    if (isNext || part === 0) return part;
    return this.#wordsIn(indexed.conversation.terms, Math.max(start, from), Math.min(end, to));
  }

  #wordsIn(terms: Uint32Array, from: number, to: number): number {
    const wordOf = this.#wordOf;
    let words = 0;
    for (let position = from; position < to; position++) {
      const word = wordOf[terms[position] ?? 0] ?? 0;
      if (word !== 0) words |= 1 << (word - 1);
    }
    return words;
  }

  /** The score of the message's best passage, and its index. */
  #bestPassage(
    { firstPassages, passages }: ConversationTerms,
    message: number,
    beside: WordsBeside,
  ): { score: number; passage: number } {
    const { array: positions, count } = this.#positions;
    const first = firstPassages[message] ?? 0;
    const end = firstPassages[message + 1] ?? 0;
    let best = 0;
    let bestPassage = 0;
    let hit = beside.contentHit;
    // All passages of a message without words have the same score.
    const last = count === 0 ? Math.min(end, first + 1) : end;
    for (let passage = first; passage < last; passage++) {
      // Passages are in ascending order of their start, so later passages do not need the hits before this
      // one.
      const from = passages[2 * passage] ?? 0;
      const to = passages[2 * passage + 1] ?? 0;
      while (hit < count && (positions[hit] ?? 0) < from) hit++;
      const score = this.#scoreOfPassage(from, to, hit, beside);
      if (score <= best) continue;
      best = score;
      bestPassage = passage - first;
    }
    return { score: Math.fround(best), passage: bestPassage };
  }

  /** `firstHit`: index of the first hit at or after the start of the passage. */
  #scoreOfPassage(from: number, to: number, firstHit: number, beside: WordsBeside): number {
    const { near, turn, labelWords } = beside;
    const { array: positions, count } = this.#positions;
    const frequencies = this.#frequencies.fill(0);
    for (let hit = firstHit; hit < count && (positions[hit] ?? 0) < to; hit++) {
      const word = this.#words.array[hit] ?? 0;
      frequencies[word] = (frequencies[word] ?? 0) + 1;
    }
    const { k1, both } = this.#constants;
    const norm = this.#norm(to - from);
    let score = 0;
    for (let word = 0; word < frequencies.length; word++) {
      const bit = 1 << word;
      const counted = frequencies[word] ?? 0;
      const frequency = counted === 0 && (labelWords & bit) !== 0 ? 1 : counted;
      const inside = (frequency * (k1 + 1)) / (frequency + norm);
      const isNear = (near & bit) !== 0 ? this.#constants.near : 0;
      const inTurn = (turn & bit) !== 0 ? this.#constants.turn : 0;
      const all = Math.max(inside, isNear, inTurn) + (isNear > 0 && inTurn > 0 ? both : 0);
      score += (this.weights[word] ?? 0) * all;
    }
    return score;
  }
}

/** What is scored in each passage of a message alike. */
interface WordsBeside {
  readonly near: number;
  readonly turn: number;
  readonly labelWords: number;
  /** Index of the first hit in the content. */
  readonly contentHit: number;
}

/** Of a message that has none of the words, and none near it. */
export const NO_SCORE: LexicalScore = { score: 0, passage: 0, own: 0, around: 0, labelWords: 0 };
