/**
 * The recall index: the messages of all conversations as arrays of term IDs, and the search for the
 * messages that answer a question. It reads no files and uses no store: the caller calls `put` and `delete`
 * when the store changes. It does not use the exact index in `fts/`.
 */
import { TimeSlice } from '../base/time-slice.js';
import {
  type ConversationTerms,
  messagesIn,
  passagesIn,
  readConversation,
} from './conversation-terms.js';
import { selectMatches } from './matching/candidate-selection.js';
import { findWords, slotsOf } from './matching/found-words.js';
import type { LexicalConstants } from './matching/lexical-constants.js';
import { type Candidate, MessageScorer } from './matching/lexical-score.js';
import { MessageTable, type TableView } from './matching/message-table.js';
import {
  everyWordOf,
  type MatchOptions,
  matchesByWordsOnly,
  WordMatches,
} from './matching/word-matches.js';
import type { MessageSources } from './message-text.js';
import {
  asksOnlyForTime,
  isInTime,
  type Question,
  type QuestionOptions,
  readQuestion,
} from './question.js';
import { type Ranked, rank, type Weights } from './ranking/ranking.js';
import { isInSpan, type TimeSpan } from './relative-time.js';
import type { VectorScores } from './vector-source.js';
import { Vocabulary } from './vocabulary.js';
import { wordsOf } from './words.js';

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

export interface RecallStats {
  readonly conversations: number;
  readonly messages: number;
  readonly passages: number;
  readonly stems: number;
}

export class RecallIndex {
  readonly #table = new MessageTable();
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
    return this.#table.get(conversationId) !== undefined;
  }

  get(conversationId: string): ConversationTerms | undefined {
    return this.#table.get(conversationId)?.conversation;
  }

  /** The words of the names of all people who speak in the conversations in scope, in lower case. */
  speakers(inScope: (conversationId: string) => boolean): ReadonlySet<string> {
    const names = new Set<string>();
    for (const { conversationId, conversation } of this.#table.all()) {
      const { people } = conversation;
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
    const known = this.get(conversationId);
    const conversation = yield* readConversation(messages, this.#vocabulary, known, unchanged);
    const before = known === undefined ? 0 : messagesIn(known);
    const reused = Math.min(unchanged, before, messages.length);
    this.#changed += messages.length - reused;
    this.#dropped += before - reused;
    if (known !== undefined) this.#countLanguages(known, -1);
    this.#put(conversationId, conversation, reused);
  }

  delete(conversationId: string): void {
    const known = this.get(conversationId);
    if (known === undefined) return;
    this.#changed += messagesIn(known);
    this.#dropped += messagesIn(known);
    this.#revision += 1;
    this.#countLanguages(known, -1);
    this.#table.delete(conversationId);
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
      this.#put(conversationId, conversation, 0);
  }

  stats(): RecallStats {
    let messages = 0;
    let passages = 0;
    let conversations = 0;
    for (const { conversation } of this.#table.all()) {
      conversations += 1;
      messages += messagesIn(conversation);
      passages += passagesIn(conversation);
    }
    return {
      conversations,
      messages,
      passages,
      stems: this.#vocabulary.size,
    };
  }

  /**
   * The total of an answer, without its messages. Use it where there are no vectors. Yields to other tasks
   * every few milliseconds. Rejects with the reason of the signal.
   */
  async count(question: Question, options: Omit<AskOptions, 'vectors'> = {}): Promise<number> {
    if (!matchesByWordsOnly(question, options)) return (await this.ask(question, options)).total;
    const slice = new TimeSlice(options);
    return this.#withTable(slice, async (table) => {
      const { matches } = await this.#find(question, options, slice, table);
      return matches.total;
    });
  }

  /** Yields to other tasks every few milliseconds. Rejects with the reason of the signal. */
  async ask(asked: string | Question, options: AskOptions = {}): Promise<RecallAnswer> {
    const question = typeof asked === 'string' ? this.question(asked, options) : asked;
    const slice = new TimeSlice(options);
    return this.#withTable(slice, (table) => this.#answer(question, options, slice, table));
  }

  async #answer(
    question: Question,
    options: AskOptions,
    slice: TimeSlice,
    table: TableView,
  ): Promise<RecallAnswer> {
    const { words, found, matches } = await this.#find(question, options, slice, table);
    const scorer = new MessageScorer({
      ...{ question, masks: table.masks, statistics: words.statistics },
      vocabularySize: this.#vocabulary.size,
      constants: options.lexical,
    });
    const selection = { question, words, found, matches, scorer, options, slice };
    const { candidates, others } = await selectMatches(selection);
    const ranked = rank({
      ...{ question, candidates, scorer },
      vectors: options.vectors,
      vocabulary: this.#vocabulary,
      weights: options.weights,
    });
    const isShown = ({ indexed, message }: Candidate) => !matches.isLeftOut(indexed, message);
    const all = [...ranked, ...others.map((other) => ({ ...other, score: 0 }))].filter(isShown);
    const neighbours = all.filter(({ indexed, message }) => !matches.matches(indexed, message));
    const everyWord = everyWordOf(question);
    return {
      question,
      total: matches.total + neighbours.length,
      hasAllWords:
        matches.hasAllWords || neighbours.some(({ lexical }) => lexical.own === everyWord),
      hits: (position, count) =>
        all
          .slice(position, position + count)
          .map((found, at) => hitOf(found, position + at, question, options.vectors)),
    };
  }

  /** A phrase such as "last week" counts as a time only if a message was written then, otherwise as words. */
  question(text: string, options: AskOptions): Question {
    const languages = this.#languages.flatMap((count, position) => (count > 0 ? [position] : []));
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
    const isWritten = (time: number) => isInSpan(time, span);
    for (const { conversationId, conversation } of this.#table.all()) {
      if (inScope?.(conversationId) !== false && conversation.times.some(isWritten)) return true;
    }
    return false;
  }

  #put(conversationId: string, conversation: ConversationTerms, reused: number): void {
    this.#revision += 1;
    this.#countLanguages(conversation, 1);
    this.#table.put(conversationId, conversation, reused);
  }

  #countLanguages({ languages }: ConversationTerms, sign: number): void {
    for (const position of languages)
      this.#languages[position] = (this.#languages[position] ?? 0) + sign;
  }

  /** Gives `use` the present messages. */
  async #withTable<Result>(
    slice: TimeSlice,
    use: (table: TableView) => Promise<Result>,
  ): Promise<Result> {
    const table = await this.#table.view(this.#vocabulary, slice);
    try {
      return await use(table);
    } finally {
      this.#table.releaseMasks(table.masks);
    }
  }

  /** Finds the words, the conversations that can have matches, and the messages that match by words. */
  async #find(question: Question, options: AskOptions, slice: TimeSlice, table: TableView) {
    const words = await findWords(question, table, options.inScope, slice);
    const needsAll = options.vectors !== undefined || asksOnlyForTime(question);
    const found = slotsOf(words, needsAll);
    const matches = await WordMatches.count(question, words, found, options, slice);
    return { words, found, matches };
  }
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
