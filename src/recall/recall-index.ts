/**
 * The recall index: the messages of all conversations as streams of stems, and the way from a question
 * to the messages that answer it, best first. Pure: it reads no files and uses no store; the caller keeps
 * it current calls `put` and `delete`. The exact index in `fts/` is independent of it.
 */
import { TimeSlice } from '../base/time-slice.js';
import {
  type Hits,
  LEXICAL,
  type LexicalConstants,
  lexicalScores,
  WordHits,
  wordWeights,
} from './evidence.js';
import { everyWordOf, matchesOf } from './matches.js';
import type { MessageSource } from './message-text.js';
import { type Question, readQuestion } from './question.js';
import { type Candidate, rank, type Scored, WEIGHTS, type Weights } from './ranking.js';
import { messagesIn, passagesIn, readStream, type Stream } from './stream.js';
import type { VectorScores } from './vector-source.js';
import { Vocabulary } from './vocabulary.js';

export type { MessageSource };

export interface AskOptions {
  /** Conversations that are searched; all, unless given. */
  readonly inScope?: (conversationId: string) => boolean;
  /** Messages that may be in the answer; their neighbours count as evidence all the same. */
  readonly accepts?: (conversationId: string, seq: number) => boolean;
  readonly vectors?: VectorScores | undefined;
  readonly signal?: AbortSignal;
  /** Leaves out what has none of the words of the question's subject itself. */
  readonly ownOnly?: boolean;
  /** Names and numbers of the question count three times. */
  readonly entitiesFirst?: boolean;
  /** Others than those of docs/RECALL.md. */
  readonly weights?: Partial<Weights>;
  readonly lexical?: Partial<LexicalConstants>;
}

/** Why a message is in an answer. */
export interface Evidence {
  /** Words of the question, as typed, whose stems its content has. */
  readonly words: readonly string[];
  /** Those that only stand near it or in the same speaker's turns. */
  readonly around: readonly string[];
  /** Those that its speaker's name or its date has. */
  readonly labelWords: readonly string[];
  readonly cosine?: number;
}

export interface MessageRef {
  readonly conversationId: string;
  /** From 1. */
  readonly seq: number;
}

export interface RecallHit extends MessageRef {
  /** The best passage of the message, from 0, as `passagesOf` cuts them. */
  readonly passage: number;
  /** Comparable within one answer only. */
  readonly score: number;
  /** How well the words fit, 0 to about 1.9, whatever else the answer has. */
  readonly lexical: number;
  readonly evidence: Evidence;
}

export interface RecallAnswer {
  readonly question: Question;
  /** Messages that have some of it. */
  readonly total: number;
  /** Whether one of them has all of the words, in whatever form. */
  readonly hasAll: boolean;
  /** The message at a place, from 0, the best first. */
  at(position: number): MessageRef | undefined;
  /** The same with what is known of it. */
  hit(position: number): RecallHit | undefined;
}

export interface RecallStats {
  readonly conversations: number;
  readonly messages: number;
  readonly passages: number;
  readonly stems: number;
}

export class RecallIndex {
  readonly #streams = new Map<string, Stream>();
  #vocabulary = new Vocabulary();
  /** By place in LANGUAGES: messages in it. */
  readonly #languages: number[] = [];
  #revision = 0;
  #changed = 0;
  #dropped = 0;

  /** Messages put or deleted, and of them those deleted or replaced, since the index was created. */
  get counters(): { readonly changed: number; readonly dropped: number } {
    return { changed: this.#changed, dropped: this.#dropped };
  }

  /** Raised with every change. */
  get revision(): number {
    return this.#revision;
  }

  get vocabulary(): Vocabulary {
    return this.#vocabulary;
  }

  has(conversationId: string): boolean {
    return this.#streams.has(conversationId);
  }

  get(conversationId: string): Stream | undefined {
    return this.#streams.get(conversationId);
  }

  streams(): Iterable<[conversationId: string, stream: Stream]> {
    return this.#streams;
  }

  /** `unchanged`: so many messages from the first are as they were when it was put before. */
  put(conversationId: string, messages: readonly MessageSource[], unchanged = 0): void {
    for (const _ of this.steps(conversationId, messages, unchanged));
  }

  /**
   * The same with pauses. What was put before is in force until the end; other steps must wait for it.
   */
  *steps(
    conversationId: string,
    messages: readonly MessageSource[],
    unchanged = 0,
  ): Generator<undefined, void> {
    const known = this.#streams.get(conversationId);
    const stream = yield* readStream(messages, this.#vocabulary, known, unchanged);
    const before = known === undefined ? 0 : messagesIn(known);
    const reused = Math.min(unchanged, before, messages.length);
    this.#changed += messages.length - reused;
    this.#dropped += before - reused;
    if (known !== undefined) this.#remove(conversationId, known);
    this.#enter(conversationId, stream);
  }

  delete(conversationId: string): void {
    const known = this.#streams.get(conversationId);
    if (known === undefined) return;
    this.#changed += messagesIn(known);
    this.#dropped += messagesIn(known);
    this.#remove(conversationId, known);
  }

  /** Loads what a cache has; the index is empty before. `dropped`: messages of it that count no more. */
  adopt(
    vocabulary: Vocabulary,
    streams: Iterable<[conversationId: string, stream: Stream]>,
    dropped: number,
  ): void {
    this.#vocabulary = vocabulary;
    this.#dropped += dropped;
    for (const [conversationId, stream] of streams) this.#enter(conversationId, stream);
  }

  stats(): RecallStats {
    let messages = 0;
    let passages = 0;
    for (const stream of this.#streams.values()) {
      messages += messagesIn(stream);
      passages += passagesIn(stream);
    }
    return { conversations: this.#streams.size, messages, passages, stems: this.#vocabulary.size };
  }

  /** Lets other work run every few milliseconds. Rejects with the signal's reason. */
  async ask(text: string, options: AskOptions = {}): Promise<RecallAnswer> {
    const languages = [...this.#languages.keys()].filter(
      (position) => (this.#languages[position] ?? 0) > 0,
    );
    const question = readQuestion(text, this.#vocabulary, languages, options.entitiesFirst);
    const slice = new TimeSlice({ signal: options.signal });
    const { found, hits } = await this.#find(question, options, slice);
    const weights = wordWeights(question, hits);
    const scored = await scoreAll(found, weights, hits.passageLength, options, slice);
    const { candidates, others } = matchesOf(scored, question, options);
    const ranked = rank({
      question,
      candidates,
      wordWeights: weights,
      vectors: options.vectors,
      weights: { ...WEIGHTS, ...options.weights },
    });
    const everyWord = everyWordOf(question);
    const all: readonly Candidate[] = [...ranked, ...others];
    return {
      question,
      total: all.length,
      hasAll: all.some(({ scored, message }) => scored.lexical.own[message] === everyWord),
      at: (position) => {
        const found = all[position];
        return found && { conversationId: found.scored.conversationId, seq: found.message + 1 };
      },
      hit: (position) => {
        const found = all[position];
        return found && hitOf(found, ranked[position]?.score ?? 0, question, options.vectors);
      },
    };
  }

  #remove(conversationId: string, known: Stream): void {
    this.#revision += 1;
    this.#streams.delete(conversationId);
    this.#countLanguages(known, -1);
  }

  #enter(conversationId: string, stream: Stream): void {
    this.#revision += 1;
    this.#streams.set(conversationId, stream);
    this.#countLanguages(stream, 1);
  }

  #countLanguages({ languages }: Stream, sign: number): void {
    for (const position of languages)
      this.#languages[position] = (this.#languages[position] ?? 0) + sign;
  }

  async #find(question: Question, { inScope, vectors }: AskOptions, slice: TimeSlice) {
    const hits = new WordHits(question, this.#vocabulary.size);
    const found: { conversationId: string; stream: Stream; hits: Hits | undefined }[] = [];
    for (const [conversationId, stream] of [...this.#streams]) {
      if (inScope?.(conversationId) === false) continue;
      const own = hits.find(stream);
      if (own !== undefined || vectors !== undefined)
        found.push({ conversationId, stream, hits: own });
      if (slice.isSpent()) await slice.yield();
    }
    return { found, hits };
  }
}

async function scoreAll(
  found: readonly { conversationId: string; stream: Stream; hits: Hits | undefined }[],
  weights: Float64Array,
  passageLength: number,
  { lexical }: AskOptions,
  slice: TimeSlice,
): Promise<Scored[]> {
  const constants = { ...LEXICAL, ...lexical };
  const scored: Scored[] = [];
  for (const { conversationId, stream, hits } of found) {
    const own = hits ?? { stream, positions: new Uint32Array(0), words: new Uint8Array(0) };
    scored.push({
      conversationId,
      stream,
      hits,
      lexical: lexicalScores(own, weights, passageLength, constants),
    });
    if (slice.isSpent()) await slice.yield();
  }
  return scored;
}

function hitOf(
  { scored, message }: Candidate,
  score: number,
  { words }: Question,
  vectors: VectorScores | undefined,
): RecallHit {
  const { conversationId, lexical } = scored;
  const texts = (mask: number) =>
    words.filter((_, word) => (mask >> word) & 1).map(({ text }) => text);
  const own = lexical.own[message] ?? 0;
  const vector = vectors?.best(conversationId, message + 1);
  return {
    conversationId,
    seq: message + 1,
    passage: own === 0 && vector !== undefined ? vector.passage : (lexical.passages[message] ?? 0),
    score,
    lexical: lexical.scores[message] ?? 0,
    evidence: {
      words: texts(own),
      around: texts((lexical.around[message] ?? 0) & ~own),
      labelWords: texts((lexical.labelWords[message] ?? 0) & ~own),
      ...(vector !== undefined && { cosine: vector.cosine }),
    },
  };
}
