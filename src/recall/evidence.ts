/**
 * How well the words of a question fit each message of a conversation: the lexical score of
 * docs/RECALL.md. First `WordHits` finds where the words stand, over all conversations asked; then
 * `lexicalScores` weighs them, once it is known in how many messages each word is.
 */
import type { Question } from './question.js';
import { messagesIn, passagesIn, type Stream } from './stream.js';

/** A pause so long begins another session. */
const SESSION_GAP_MS = 60 * 60_000;

/** The constants of the score; bench/recall.mjs measures others. */
export interface LexicalConstants {
  readonly k1: number;
  readonly b: number;
  /** Terms before and after a message, in its session, that speak for it too; how much they do. */
  readonly nearTerms: number;
  readonly near: number;
  /** The same of the turns of the same speaker before and after. */
  readonly turnTerms: number;
  readonly turn: number;
  /** What a word adds that is in both. */
  readonly both: number;
}

export const LEXICAL: LexicalConstants = {
  k1: 0.7,
  b: 0.5,
  nearTerms: 20,
  near: 0.7,
  turnTerms: 20,
  turn: 0.5,
  both: 0.15,
};

/** Where the words of a question stand in one conversation: places among its terms, ascending. */
export interface Hits {
  readonly stream: Stream;
  readonly positions: Uint32Array;
  /** Of each place, which word of the question. */
  readonly words: Uint8Array;
}

/** Finds words in one conversation after another, and counts what the weights need. */
export class WordHits {
  /** By number of a term: the word of the question that it stands for, from 1. */
  readonly #wordOf: Uint8Array;
  readonly #last: Int32Array;
  /** By word: messages that have it. */
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

  /** Terms in a passage, on average. */
  get passageLength(): number {
    return this.#passages === 0 ? 1 : this.#terms / this.#passages;
  }

  /** `undefined` where a conversation has none of the words. */
  find(stream: Stream): Hits | undefined {
    this.messages += messagesIn(stream);
    this.#terms += stream.terms.length;
    this.#passages += passagesIn(stream);
    const count = this.#scan(stream.terms);
    if (count === 0) return undefined;
    const positions = this.#positions.slice(0, count);
    const words = this.#words.slice(0, count);
    this.#count(stream, positions, words);
    return { stream, positions, words };
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

  #count({ starts }: Stream, positions: Uint32Array, words: Uint8Array): void {
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

/** Of each word of the question: what it says for a message, summing to 1. */
export function wordWeights({ words }: Question, { counts, messages }: WordHits): Float64Array {
  const weights = Float64Array.from(words, ({ weight }, word) => {
    const count = counts[word] ?? 0;
    // Robertson and Spärck Jones, never negative (as Lucene has it).
    return weight * Math.log(1 + (messages - count + 0.5) / (count + 0.5));
  });
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return sum > 0 ? weights.map((weight) => weight / sum) : weights;
}

/** Sessions as the numbers of their first messages; behind the last the number of messages. */
export function sessionsOf({ times }: Stream): Uint32Array {
  const firsts = [0];
  for (let message = 1; message < times.length; message++) {
    const pause = (times[message] ?? 0) - (times[message - 1] ?? 0);
    if (pause > SESSION_GAP_MS) firsts.push(message);
  }
  return Uint32Array.from([...firsts, times.length]);
}

/** What the words say for each message of a conversation. */
export interface LexicalScores {
  readonly scores: Float32Array;
  /** Of each message, which of its passages is best, from 0. */
  readonly passages: Uint32Array;
  /** Bits of the words that stand in the message's own content. */
  readonly own: Uint32Array;
  /** Bits of those near it or in the same speaker's turns. */
  readonly around: Uint32Array;
  /** Bits of those in its speaker's name and its date. */
  readonly labelWords: Uint32Array;
}

export function lexicalScores(
  hits: Hits,
  weights: Float64Array,
  passageLength: number,
  constants: LexicalConstants = LEXICAL,
): LexicalScores {
  const { stream } = hits;
  const count = messagesIn(stream);
  const near = nearMasks(hits, constants.nearTerms);
  const turns = turnMasks(hits, constants.turnTerms);
  const scores = new Float32Array(count);
  const passages = new Uint32Array(count);
  const own = new Uint32Array(count);
  const around = new Uint32Array(count);
  const labelWords = new Uint32Array(count);
  const weigh = new PassageWeigher(hits, weights, passageLength, constants);
  for (let message = 0; message < count; message++) {
    const nearMask = near[message] ?? 0;
    const turnMask = turns[message] ?? 0;
    weigh.turnTo(message);
    if (!weigh.hasHits && (nearMask | turnMask) === 0) continue;
    weigh.weigh(nearMask, turnMask);
    scores[message] = weigh.best;
    passages[message] = weigh.bestPassage;
    own[message] = weigh.own;
    around[message] = nearMask | turnMask;
    labelWords[message] = weigh.labelWords;
  }
  return { scores, passages, own, around, labelWords };
}

/** Bits of the words that stand at most `reach` terms before or after a message, in its session. */
function nearMasks({ stream, positions, words }: Hits, reach: number): Uint32Array {
  const { starts } = stream;
  const masks = new Uint32Array(messagesIn(stream));
  const sessions = sessionsOf(stream);
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

/** Filled again for each conversation: a question looks at thousands of them. */
const headsOfSpeakers = new Uint32Array(256);

/** Bits of the words in the first `reach` terms of the same speaker's turns before and after. */
function turnMasks({ stream, positions, words }: Hits, reach: number): Uint32Array {
  const { starts, speakers } = stream;
  const count = messagesIn(stream);
  const heads = new Uint32Array(count);
  let message = 0;
  for (let hit = 0; hit < positions.length; hit++) {
    const position = positions[hit] ?? 0;
    while ((starts[message + 1] ?? 0) <= position) message++;
    if (position < (starts[message] ?? 0) + reach)
      heads[message] = (heads[message] ?? 0) | (1 << (words[hit] ?? 0));
  }
  const masks = new Uint32Array(count);
  const passOn = (at: number, last: Uint32Array) => {
    const speaker = speakers[at] ?? 0;
    masks[at] = (masks[at] ?? 0) | (last[speaker] ?? 0);
    last[speaker] = heads[at] ?? 0;
  };
  headsOfSpeakers.fill(0);
  for (let at = 0; at < count; at++) passOn(at, headsOfSpeakers);
  headsOfSpeakers.fill(0);
  for (let at = count - 1; at >= 0; at--) passOn(at, headsOfSpeakers);
  return masks;
}

/** The best passage of one message after another, in their order. */
class PassageWeigher {
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
  /** Those that the labels of the message have: its speaker and its date. */
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

  turnTo(message: number): void {
    const { positions, stream } = this.#hits;
    const end = stream.starts[message + 1] ?? 0;
    this.#message = message;
    this.#from = this.#to;
    while (this.#to < positions.length && (positions[this.#to] ?? 0) < end) this.#to++;
  }

  weigh(near: number, turn: number): void {
    const { positions, words, stream } = this.#hits;
    const message = this.#message;
    const content = (stream.starts[message] ?? 0) + (stream.prefixes[message] ?? 0);
    this.own = 0;
    this.labelWords = 0;
    let hit = this.#from;
    for (; hit < this.#to && (positions[hit] ?? 0) < content; hit++)
      this.labelWords |= 1 << (words[hit] ?? 0);
    for (let at = hit; at < this.#to; at++) this.own |= 1 << (words[at] ?? 0);
    this.best = 0;
    this.bestPassage = 0;
    const first = stream.firstPassages[message] ?? 0;
    const last = stream.firstPassages[message + 1] ?? 0;
    for (let passage = first; passage < last; passage++) {
      // Passages begin one after the other, so the hits before this one are never needed again.
      const from = stream.passages[2 * passage] ?? 0;
      while (hit < this.#to && (positions[hit] ?? 0) < from) hit++;
      const score = this.#score(passage, hit, near, turn);
      if (score <= this.best) continue;
      this.best = score;
      this.bestPassage = passage - first;
    }
  }

  /** `firstHit`: the first in the passage or behind it. */
  #score(passage: number, firstHit: number, near: number, turn: number): number {
    const { positions, words, stream } = this.#hits;
    const from = stream.passages[2 * passage] ?? 0;
    const to = stream.passages[2 * passage + 1] ?? 0;
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
