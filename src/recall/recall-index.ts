/**
 * The recall index: the messages of all conversations as arrays of term IDs. `answer.ts` finds in them what
 * answers a question. It reads no files and uses no store: the caller calls `put` and `delete` when the store
 * changes. It does not use the search index in `fts/`.
 */
import { TimeSlice } from '../base/async/time-slice.js';
import {
  type AnswerInput,
  type AskOptions,
  answerTo,
  findMatches,
  type RecallAnswer,
} from './answer.js';
import {
  type ConversationTerms,
  messagesIn,
  passagesIn,
  readConversation,
} from './conversation-terms.js';
import { MessageTable } from './matching/message-table.js';
import { matchesByWordsOnly } from './matching/word-matches.js';
import type { MessageSources } from './message-text.js';
import { isInTime, type Question, readQuestion } from './question/question.js';
import { Vocabulary } from './vocabulary.js';
import { wordsOf } from './words/words.js';

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
    return this.#withTable(
      question,
      options,
      async (input) => (await findMatches(input)).matches.total,
    );
  }

  /** Yields to other tasks every few milliseconds. Rejects with the reason of the signal. */
  async ask(asked: string | Question, options: AskOptions = {}): Promise<RecallAnswer> {
    const question = typeof asked === 'string' ? this.question(asked, options) : asked;
    return this.#withTable(question, options, answerTo);
  }

  /** A phrase such as "last week" counts as a time only if a message was written then, otherwise as words. */
  question(text: string, options: AskOptions): Question {
    const languages = this.#languages.flatMap((count, position) => (count > 0 ? [position] : []));
    // In text of macOS, letters and their accents are often separate characters.
    const composed = text.normalize('NFC');
    const question = readQuestion(composed, this.#vocabulary, languages, options);
    if (question.timeSpan === undefined || this.#hasMessagesOfTime(question, options))
      return question;
    const { now: _now, ...others } = options;
    return {
      ...readQuestion(composed, this.#vocabulary, languages, others),
      emptyTime: question.timeSpan.phrase,
    };
  }

  #hasMessagesOfTime(question: Question, { inScope }: AskOptions): boolean {
    const isWritten = (time: number) => isInTime(question, time);
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
    question: Question,
    options: AskOptions,
    use: (input: AnswerInput) => Promise<Result>,
  ): Promise<Result> {
    const slice = new TimeSlice(options);
    const table = await this.#table.view(this.#vocabulary, slice);
    try {
      return await use({ question, options, table, vocabulary: this.#vocabulary, slice });
    } finally {
      this.#table.releaseMasks(table.masks);
    }
  }
}
