/**
 * The recall index: the messages of all conversations as arrays of term IDs, and the search for the
 * messages that answer a question. It reads no files and uses no store: the caller calls `put` and `delete`
 * when the store changes. It does not use the exact index in `fts/`.
 */
import { TimeSlice } from '../base/time-slice.js';
import { everyWordOf, selectMatches, WordMatches } from './candidate-selection.js';
import {
  type ConversationTerms,
  messagesIn,
  passagesIn,
  readConversation,
} from './conversation-terms.js';
import {
  type Candidate,
  HitFinder,
  type Hits,
  LEXICAL_CONSTANTS,
  type LexicalConstants,
  lexicalScores,
  type Scored,
  wordWeights,
} from './lexical-score.js';
import type { MessageSources } from './message-text.js';
import { asksOnlyForTime, type Question, type QuestionOptions, readQuestion } from './question.js';
import { rank, WEIGHTS, type Weights } from './ranking/ranking.js';
import { isInSpan, type TimeSpan } from './relative-time.js';
import type { VectorScores } from './vector-source.js';
import { Vocabulary } from './vocabulary.js';
import { wordsOf } from './words.js';

export interface AskOptions extends QuestionOptions {
  /** Which conversations are searched; all if absent. */
  readonly inScope?: (conversationId: string) => boolean;
  /** Which messages may be in the answer. Their neighbours still count as evidence. */
  readonly accepts?: (conversationId: string, seq: number) => boolean;
  readonly vectors?: VectorScores | undefined;
  readonly signal?: AbortSignal;
  /** Leaves out messages whose content has none of the words of the question's subject. */
  readonly requiresContentMatch?: boolean;
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
  /** Number of messages that match. */
  readonly total: number;
  /** Whether the content of one message has all words, in whatever form. */
  readonly hasAllWords: boolean;
  /** The message at `position` (0 is the best). */
  at(position: number): MessageRef | undefined;
  /** The message at `position` with its scores and evidence. */
  hit(position: number): RecallHit | undefined;
}

export interface RecallStats {
  readonly conversations: number;
  readonly messages: number;
  readonly passages: number;
  readonly stems: number;
}

export class RecallIndex {
  readonly #conversations = new Map<string, ConversationTerms>();
  #vocabulary = new Vocabulary();
  /** By index in LANGUAGES: number of messages in that language. */
  readonly #languages: number[] = [];
  #revision = 0;
  #changed = 0;
  #dropped = 0;

  /** Messages put or deleted (`changed`), and those deleted or replaced (`dropped`). */
  get counters(): { readonly changed: number; readonly dropped: number } {
    return { changed: this.#changed, dropped: this.#dropped };
  }

  /** Grows with every change. */
  get revision(): number {
    return this.#revision;
  }

  get vocabulary(): Vocabulary {
    return this.#vocabulary;
  }

  has(conversationId: string): boolean {
    return this.#conversations.has(conversationId);
  }

  get(conversationId: string): ConversationTerms | undefined {
    return this.#conversations.get(conversationId);
  }

  conversations(): Iterable<[conversationId: string, conversation: ConversationTerms]> {
    return this.#conversations;
  }

  /** The words of the names of all people who speak in the conversations in scope, in lower case. */
  speakers(inScope: (conversationId: string) => boolean): ReadonlySet<string> {
    const names = new Set<string>();
    for (const [conversationId, { people }] of this.#conversations) {
      if (people.length > 0 && inScope(conversationId)) for (const name of people) names.add(name);
    }
    return new Set([...names].flatMap(wordsOf));
  }

  /** `unchanged`: number of messages, from the first, that are the same as at the last `put`. */
  put(conversationId: string, messages: MessageSources, unchanged = 0): void {
    for (const _ of this.putInSteps(conversationId, messages, unchanged));
  }

  /** Like `put`, in steps; until it returns searches use the old messages. One at a time. */
  *putInSteps(
    conversationId: string,
    messages: MessageSources,
    unchanged = 0,
  ): Generator<undefined, void> {
    const known = this.#conversations.get(conversationId);
    const conversation = yield* readConversation(messages, this.#vocabulary, known, unchanged);
    const before = known === undefined ? 0 : messagesIn(known);
    const reused = Math.min(unchanged, before, messages.length);
    this.#changed += messages.length - reused;
    this.#dropped += before - reused;
    if (known !== undefined) this.#remove(conversationId, known);
    this.#add(conversationId, conversation);
  }

  delete(conversationId: string): void {
    const known = this.#conversations.get(conversationId);
    if (known === undefined) return;
    this.#changed += messagesIn(known);
    this.#dropped += messagesIn(known);
    this.#remove(conversationId, known);
  }

  /** Into an empty index. `dropped`: messages in the vocabulary that are no longer stored. */
  load(
    vocabulary: Vocabulary,
    conversations: Iterable<[conversationId: string, conversation: ConversationTerms]>,
    dropped: number,
  ): void {
    this.#vocabulary = vocabulary;
    this.#dropped += dropped;
    for (const [conversationId, conversation] of conversations)
      this.#add(conversationId, conversation);
  }

  stats(): RecallStats {
    let messages = 0;
    let passages = 0;
    for (const conversation of this.#conversations.values()) {
      messages += messagesIn(conversation);
      passages += passagesIn(conversation);
    }
    return {
      conversations: this.#conversations.size,
      messages,
      passages,
      stems: this.#vocabulary.size,
    };
  }

  /**
   * The number of messages that match, without those that `except` accepts. It ranks nothing. Use it where
   * there are no vectors. Yields to other tasks every few milliseconds. Rejects with the reason of the signal.
   */
  async count(
    question: Question,
    except: (message: MessageRef) => boolean,
    options: Omit<AskOptions, 'vectors'> = {},
  ): Promise<number> {
    if (!WordMatches.areEnoughFor(question, options)) {
      const answer = await this.ask(question, options);
      return positionsWithout(answer, except).length;
    }
    const slice = new TimeSlice({ signal: options.signal });
    const { found } = await this.#find(question, options, slice);
    const matches = new WordMatches(question, options.accepts, except);
    for (const { conversationId, hits } of found) {
      if (hits !== undefined) matches.add(conversationId, hits);
      if (slice.isSpent()) await slice.yield();
    }
    return matches.count;
  }

  /** Yields to other tasks every few milliseconds. Rejects with the reason of the signal. */
  async ask(asked: string | Question, options: AskOptions = {}): Promise<RecallAnswer> {
    const question = typeof asked === 'string' ? this.question(asked, options) : asked;
    const slice = new TimeSlice({ signal: options.signal });
    const { found, hits } = await this.#find(question, options, slice);
    const weights = wordWeights(question, hits);
    const scored = await scoreAll(found, weights, hits.passageLength, options, slice);
    const { candidates, others } = selectMatches(scored, question, options);
    const ranked = rank({
      question,
      candidates,
      wordWeights: weights,
      vectors: options.vectors,
      vocabulary: this.#vocabulary,
      weights: { ...WEIGHTS, ...options.weights },
    });
    const everyWord = everyWordOf(question);
    const all: readonly Candidate[] = [...ranked, ...others];
    return {
      question,
      total: all.length,
      hasAllWords:
        asksOnlyForTime(question) ||
        all.some(({ scored, message }) => scored.lexical.own[message] === everyWord),
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

  /** A phrase such as "last week" counts as a time only if a message was written then, otherwise as words. */
  question(text: string, options: AskOptions): Question {
    const languages = [...this.#languages.keys()].filter(
      (position) => (this.#languages[position] ?? 0) > 0,
    );
    const question = readQuestion(text, this.#vocabulary, languages, options);
    if (question.timeSpan === undefined || this.#hasMessagesIn(question.timeSpan, options))
      return question;
    const { now: _now, ...others } = options;
    const { phrase } = question.timeSpan;
    return {
      ...readQuestion(text, this.#vocabulary, languages, others),
      emptyTime: phrase,
    };
  }

  #hasMessagesIn(span: TimeSpan, { inScope }: AskOptions): boolean {
    for (const [conversationId, { times }] of this.#conversations) {
      if (inScope?.(conversationId) !== false && times.some((time) => isInSpan(time, span)))
        return true;
    }
    return false;
  }

  #remove(conversationId: string, known: ConversationTerms): void {
    this.#revision += 1;
    this.#conversations.delete(conversationId);
    this.#countLanguages(known, -1);
  }

  #add(conversationId: string, conversation: ConversationTerms): void {
    this.#revision += 1;
    this.#conversations.set(conversationId, conversation);
    this.#countLanguages(conversation, 1);
  }

  #countLanguages({ languages }: ConversationTerms, sign: number): void {
    for (const position of languages)
      this.#languages[position] = (this.#languages[position] ?? 0) + sign;
  }

  async #find(question: Question, { inScope, vectors }: AskOptions, slice: TimeSlice) {
    const hits = new HitFinder(question, this.#vocabulary.size);
    const found: {
      conversationId: string;
      conversation: ConversationTerms;
      hits: Hits | undefined;
    }[] = [];
    for (const [conversationId, conversation] of [...this.#conversations]) {
      if (inScope?.(conversationId) === false) continue;
      const own = hits.find(conversation);
      if (own !== undefined || vectors !== undefined || asksOnlyForTime(question))
        found.push({ conversationId, conversation, hits: own });
      if (slice.isSpent()) await slice.yield();
    }
    return { found, hits };
  }
}

/** The positions of an answer's messages that `except` does not accept, best first. */
export function positionsWithout(
  answer: RecallAnswer,
  except: (message: MessageRef) => boolean,
): number[] {
  const positions: number[] = [];
  for (let position = 0; position < answer.total; position += 1) {
    const found = answer.at(position);
    if (found !== undefined && !except(found)) positions.push(position);
  }
  return positions;
}

async function scoreAll(
  found: readonly {
    conversationId: string;
    conversation: ConversationTerms;
    hits: Hits | undefined;
  }[],
  weights: Float64Array,
  passageLength: number,
  { lexical }: AskOptions,
  slice: TimeSlice,
): Promise<Scored[]> {
  const constants = { ...LEXICAL_CONSTANTS, ...lexical };
  const scored: Scored[] = [];
  for (const { conversationId, conversation, hits } of found) {
    const own = hits ?? { conversation, positions: new Uint32Array(0), words: new Uint8Array(0) };
    scored.push({
      conversationId,
      conversation,
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
  { words, timeSpan }: Question,
  vectors: VectorScores | undefined,
): RecallHit {
  const { conversationId, lexical } = scored;
  const texts = (mask: number) =>
    words.filter((_, word) => (mask >> word) & 1).map(({ text }) => text);
  const own = lexical.own[message] ?? 0;
  const vector = vectors?.best(conversationId, message + 1);
  const isInTime =
    timeSpan !== undefined && isInSpan(scored.conversation.times[message] ?? 0, timeSpan);
  return {
    conversationId,
    seq: message + 1,
    passage: own === 0 && vector !== undefined ? vector.passage : (lexical.passages[message] ?? 0),
    score,
    lexical: lexical.scores[message] ?? 0,
    evidence: {
      words: texts(own),
      around: texts((lexical.around[message] ?? 0) & ~own),
      labelWords: [
        ...texts((lexical.labelWords[message] ?? 0) & ~own),
        ...(isInTime ? [timeSpan.phrase] : []),
      ],
      ...(vector !== undefined && { cosine: vector.cosine }),
    },
  };
}
