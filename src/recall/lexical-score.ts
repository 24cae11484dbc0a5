/**
 * The lexical score of docs/RECALL.md: how well the words of a question fit each message. `HitFinder` first
 * finds the words in all conversations that are searched, because idf needs the number of messages that
 * have each word. `lexicalScores` then computes the scores of one conversation.
 */

import { type ConversationTerms, messagesIn, passagesIn } from './conversation-terms.js';
import type { Question } from './question.js';

/** A longer pause ends a session: here it is messages about one subject. */
const SESSION_GAP_MS = 60 * 60_000;

/** The constants of the score. bench/recall.mjs tries other values. */
export interface LexicalConstants {
  readonly k1: number;
  readonly b: number;
  /** `near`: the word is at most `nearTerms` terms before or after the message, in its session. */
  readonly nearTerms: number;
  readonly near: number;
  /** `turn`: the word is in the first `turnTerms` terms of the speaker's previous or next turn. */
  readonly turnTerms: number;
  readonly turn: number;
  /** Added for a word that is near the message and in the same speaker's turns. */
  readonly both: number;
}

export const LEXICAL_CONSTANTS: LexicalConstants = {
  k1: 0.7,
  b: 0.5,
  nearTerms: 20,
  near: 0.7,
  turnTerms: 20,
  turn: 0.5,
  both: 0.15,
};

/** Positions of the question's words among the terms of one conversation, ascending. */
export interface Hits {
  readonly conversation: ConversationTerms;
  readonly positions: Uint32Array;
  /** By hit: index of the word in the question. */
  readonly words: Uint8Array;
}

/** Finds the question's words in each conversation, and counts the messages that have them. */
export class HitFinder {
  /** By term ID: 1 + index of the question's word that has this stem; 0 if none has it. */
  readonly #wordOf: Uint8Array;
  readonly #last: Int32Array;
  /** By word of the question: number of messages that have it. */
  readonly counts: Uint32Array;
  messages = 0;
  #terms = 0;
  #passages = 0;
  #positions = new Uint32Array(1024);
  #words = new Uint8Array(1024);

  constructor(question: Question, vocabularySize: number) {
    this.#wordOf = new Uint8Array(vocabularySize);
    this.#last = new Int32Array(question.words.length);
    this.counts = new Uint32Array(question.words.length);
    question.words.forEach(({ terms }, word) => {
      for (const term of terms) this.#wordOf[term] = word + 1;
    });
  }

  /** Average number of terms in a passage. */
  get passageLength(): number {
    return this.#passages === 0 ? 1 : this.#terms / this.#passages;
  }

  /** `undefined` if the conversation has none of the words. */
  find(conversation: ConversationTerms): Hits | undefined {
    this.messages += messagesIn(conversation);
    this.#terms += conversation.terms.length;
    this.#passages += passagesIn(conversation);
    const count = this.#scan(conversation.terms);
    if (count === 0) return undefined;
    const positions = this.#positions.slice(0, count);
    const words = this.#words.slice(0, count);
    this.#count(conversation, positions, words);
    return { conversation, positions, words };
  }

  #scan(terms: Uint32Array): number {
    const wordOf = this.#wordOf;
    let count = 0;
    for (let position = 0; position < terms.length; position++) {
      const word = wordOf[terms[position] ?? 0] ?? 0;
      if (word === 0) continue;
      if (count === this.#positions.length) this.#grow();
      this.#positions[count] = position;
      this.#words[count++] = word - 1;
    }
    return count;
  }

  #count({ starts }: ConversationTerms, positions: Uint32Array, words: Uint8Array): void {
    this.#last.fill(-1);
    let message = 0;
    for (let hit = 0; hit < positions.length; hit++) {
      while ((starts[message + 1] ?? 0) <= (positions[hit] ?? 0)) message++;
      const word = words[hit] ?? 0;
      if (this.#last[word] === message) continue;
      this.#last[word] = message;
      this.counts[word] = (this.counts[word] ?? 0) + 1;
    }
  }

  #grow(): void {
    const positions = new Uint32Array(2 * this.#positions.length);
    const words = new Uint8Array(positions.length);
    positions.set(this.#positions);
    words.set(this.#words);
    this.#positions = positions;
    this.#words = words;
  }
}

/** By word of the question: its weight times its idf, scaled so that the sum is 1. */
export function wordWeights({ words }: Question, { counts, messages }: HitFinder): Float64Array {
  const weights = Float64Array.from(words, ({ weight }, word) => {
    const count = counts[word] ?? 0;
    // The idf of Robertson and Spärck Jones, with Lucene's `1 +` so that it is never negative.
    return weight * Math.log(1 + (messages - count + 0.5) / (count + 0.5));
  });
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return sum > 0 ? weights.map((weight) => weight / sum) : weights;
}

/** The indexes of the first messages of all sessions, then the number of messages. */
export function sessionsOf({ times }: ConversationTerms): Uint32Array {
  const firsts = [0];
  for (let message = 1; message < times.length; message++) {
    const pause = (times[message] ?? 0) - (times[message - 1] ?? 0);
    if (pause > SESSION_GAP_MS) firsts.push(message);
  }
  return Uint32Array.from([...firsts, times.length]);
}

/** Lexical scores of the messages of one conversation, and bitmasks of the question's words. */
export interface LexicalScores {
  readonly scores: Float32Array;
  /** By message: index of its best passage, from 0. */
  readonly passages: Uint32Array;
  /** By message: bitmask of the words in its content. */
  readonly own: Uint32Array;
  /** By message: bitmask of the words near it or in the same speaker's turns. */
  readonly around: Uint32Array;
  /** By message: bitmask of the words in its speaker's name and its date. */
  readonly labelWords: Uint32Array;
}

/** A conversation that has some of the words or a near vector, with its lexical scores. */
export interface Scored {
  readonly conversationId: string;
  readonly conversation: ConversationTerms;
  readonly hits: Hits | undefined;
  readonly lexical: LexicalScores;
}

export interface Candidate {
  readonly scored: Scored;
  readonly message: number;
}

export function lexicalScores(
  hits: Hits,
  weights: Float64Array,
  passageLength: number,
  constants: LexicalConstants = LEXICAL_CONSTANTS,
): LexicalScores {
  const { conversation } = hits;
  const count = messagesIn(conversation);
  const near = nearMasks(hits, constants.nearTerms);
  const turns = turnMasks(hits, constants.turnTerms);
  const scores = new Float32Array(count);
  const passages = new Uint32Array(count);
  const own = new Uint32Array(count);
  const around = new Uint32Array(count);
  const labelWords = new Uint32Array(count);
  const weigh = new PassageScorer(hits, weights, passageLength, constants);
  for (let message = 0; message < count; message++) {
    const nearMask = near[message] ?? 0;
    const turnMask = turns[message] ?? 0;
    weigh.moveTo(message);
    if (!weigh.hasHits && (nearMask | turnMask) === 0) continue;
    weigh.scoreMessage(nearMask, turnMask);
    scores[message] = weigh.best;
    passages[message] = weigh.bestPassage;
    own[message] = weigh.own;
    around[message] = nearMask | turnMask;
    labelWords[message] = weigh.labelWords;
  }
  return { scores, passages, own, around, labelWords };
}

/** By message: bitmask of the words at most `reach` terms before or after it, in its session. */
function nearMasks({ conversation, positions, words }: Hits, reach: number): Uint32Array {
  const { starts } = conversation;
  const masks = new Uint32Array(messagesIn(conversation));
  const sessions = sessionsOf(conversation);
  let session = 0;
  let first = 0;
  for (let message = 0; message < masks.length; message++) {
    while (message >= (sessions[session + 1] ?? 0)) session++;
    const start = starts[message] ?? 0;
    const end = starts[message + 1] ?? 0;
    while (first < positions.length && (positions[first] ?? 0) < start) first++;
    const from = Math.max(start - reach, starts[sessions[session] ?? 0] ?? 0);
    const to = Math.min(end + reach, starts[sessions[session + 1] ?? 0] ?? 0);
    let mask = 0;
    for (let hit = first - 1; hit >= 0 && (positions[hit] ?? 0) >= from; hit--)
      mask |= 1 << (words[hit] ?? 0);
    let hit = first;
    while (hit < positions.length && (positions[hit] ?? 0) < end) hit++;
    for (; hit < positions.length && (positions[hit] ?? 0) < to; hit++)
      mask |= 1 << (words[hit] ?? 0);
    masks[message] = mask;
  }
  return masks;
}

/** Reused for all conversations, because one question reads thousands of them. */
const lastHeadBySpeaker = new Uint32Array(256);

/** By message: bitmask of the words in the first `reach` terms of the same speaker's previous and next turn. */
function turnMasks({ conversation, positions, words }: Hits, reach: number): Uint32Array {
  const { starts, speakers } = conversation;
  const count = messagesIn(conversation);
  const heads = new Uint32Array(count);
  let message = 0;
  for (let hit = 0; hit < positions.length; hit++) {
    const position = positions[hit] ?? 0;
    while ((starts[message + 1] ?? 0) <= position) message++;
    if (position < (starts[message] ?? 0) + reach)
      heads[message] = (heads[message] ?? 0) | (1 << (words[hit] ?? 0));
  }
  const masks = new Uint32Array(count);
  const addFromLastTurn = (at: number, last: Uint32Array) => {
    const speaker = speakers[at] ?? 0;
    masks[at] = (masks[at] ?? 0) | (last[speaker] ?? 0);
    last[speaker] = heads[at] ?? 0;
  };
  lastHeadBySpeaker.fill(0);
  for (let at = 0; at < count; at++) addFromLastTurn(at, lastHeadBySpeaker);
  lastHeadBySpeaker.fill(0);
  for (let at = count - 1; at >= 0; at--) addFromLastTurn(at, lastHeadBySpeaker);
  return masks;
}

/** Finds the best passage of each message. Messages must come in ascending order. */
class PassageScorer {
  readonly #hits: Hits;
  readonly #weights: Float64Array;
  readonly #length: number;
  readonly #constants: LexicalConstants;
  readonly #frequencies: Uint32Array;
  #message = 0;
  #from = 0;
  #to = 0;
  best = 0;
  bestPassage = 0;
  own = 0;
  /** Bitmask of the words in the message's speaker name and date. */
  labelWords = 0;

  constructor(hits: Hits, weights: Float64Array, length: number, constants: LexicalConstants) {
    this.#hits = hits;
    this.#weights = weights;
    this.#length = length;
    this.#constants = constants;
    this.#frequencies = new Uint32Array(weights.length);
  }

  get hasHits(): boolean {
    return this.#to > this.#from;
  }

  moveTo(message: number): void {
    const { positions, conversation } = this.#hits;
    const end = conversation.starts[message + 1] ?? 0;
    this.#message = message;
    this.#from = this.#to;
    while (this.#to < positions.length && (positions[this.#to] ?? 0) < end) this.#to++;
  }

  scoreMessage(near: number, turn: number): void {
    const { positions, words, conversation } = this.#hits;
    const message = this.#message;
    const content = (conversation.starts[message] ?? 0) + (conversation.prefixes[message] ?? 0);
    this.own = 0;
    this.labelWords = 0;
    let hit = this.#from;
    for (; hit < this.#to && (positions[hit] ?? 0) < content; hit++)
      this.labelWords |= 1 << (words[hit] ?? 0);
    for (let at = hit; at < this.#to; at++) this.own |= 1 << (words[at] ?? 0);
    this.best = 0;
    this.bestPassage = 0;
    const first = conversation.firstPassages[message] ?? 0;
    const last = conversation.firstPassages[message + 1] ?? 0;
    for (let passage = first; passage < last; passage++) {
      // Passages are in ascending order of their start, so later passages do not need the hits before this
      // one.
      const from = conversation.passages[2 * passage] ?? 0;
      while (hit < this.#to && (positions[hit] ?? 0) < from) hit++;
      const score = this.#score(passage, hit, near, turn);
      if (score <= this.best) continue;
      this.best = score;
      this.bestPassage = passage - first;
    }
  }

  /** `firstHit`: index of the first hit at or after the start of the passage. */
  #score(passage: number, firstHit: number, near: number, turn: number): number {
    const { positions, words, conversation } = this.#hits;
    const from = conversation.passages[2 * passage] ?? 0;
    const to = conversation.passages[2 * passage + 1] ?? 0;
    const frequencies = this.#frequencies.fill(0);
    for (let hit = firstHit; hit < this.#to && (positions[hit] ?? 0) < to; hit++) {
      const word = words[hit] ?? 0;
      frequencies[word] = (frequencies[word] ?? 0) + 1;
    }
    const { k1, b, both } = this.#constants;
    const norm = k1 * (1 - b + (b * (to - from)) / this.#length);
    let score = 0;
    for (let word = 0; word < frequencies.length; word++) {
      const bit = 1 << word;
      const counted = frequencies[word] ?? 0;
      const frequency = counted === 0 && (this.labelWords & bit) !== 0 ? 1 : counted;
      const inside = (frequency * (k1 + 1)) / (frequency + norm);
      const beside = (near & bit) !== 0 ? this.#constants.near : 0;
      const inTurn = (turn & bit) !== 0 ? this.#constants.turn : 0;
      const all = Math.max(inside, beside, inTurn) + (beside > 0 && inTurn > 0 ? both : 0);
      score += (this.#weights[word] ?? 0) * all;
    }
    return score;
  }
}
