/**
 * Which messages match a question: those that have its words, those of the time that it names, and those that
 * have its words near them. The first two are counted without scores.
 */
import type { TimeSlice } from '../../base/async/time-slice.js';
import { IS_INSTRUCTION } from '../message-flags.js';
import { asksOnlyForTime, isInTime, type Question } from '../question/question.js';
import type { VectorScores } from '../vector-source.js';
import type { FoundWords } from './found-words.js';
import type { IndexedConversation } from './message-table.js';
import { maskOf, type WordMasks } from './word-masks.js';

/**
 * For a query with this many words or more, messages without any of its words match too if the words are
 * near them. With fewer words this is so only if it is a sentence: `dense bread` is not,
 * "Why was my bread so dense?" is, and the next message has the answer.
 */
const MIN_WORDS_FOR_NEIGHBOURS = 3;
const matchesNeighbours = ({ words, hasFunctionWords, text }: Question): boolean =>
  words.length >= MIN_WORDS_FOR_NEIGHBOURS ||
  (hasFunctionWords && (words.length > 1 || /[?？]\s*$/.test(text)));

export interface MatchOptions {
  /** Which messages may be in the answer. Their neighbours still count as evidence. */
  readonly accepts?: (conversationId: string, seq: number) => boolean;
  /** Messages that are ranked but left out of the answer and of its total. */
  readonly except?: (message: { conversationId: string; seq: number }) => boolean;
  readonly vectors?: VectorScores | undefined;
  /** Leaves out messages whose content has none of the words of the question's subject. */
  readonly requiresContentMatch?: boolean;
  /** Number of messages, best first, that the caller may read. 400 (CANDIDATE_COUNT) if absent or smaller. */
  readonly depth?: number;
}

/** Whether a question's matches depend only on the words in each message. */
export const matchesByWordsOnly = (question: Question, options: MatchOptions): boolean =>
  !matchesNeighbours(question) && !asksOnlyForTime(question) && !options.requiresContentMatch;

/** The bitmask of all words of the question. */
export const everyWordOf = ({ words }: Question): number => 2 ** words.length - 1;

/** So many messages are counted between two looks at the clock. */
const STEP = 5_000;

/** Counts the messages that match by their words or their time, and decides which others may match. */
export class WordMatches {
  readonly #question: Question;
  readonly #masks: WordMasks;
  readonly #options: MatchOptions;
  readonly #onlyTime: boolean;
  readonly #everyWord: number;
  readonly #subject: number;
  /** For a query of one or two words: if some messages have all words, only these match. */
  readonly #prefersEveryWord: boolean;
  /** Instructions match without a word of the question. */
  readonly #includesInstructions: boolean;
  readonly includesNeighbours: boolean;
  #some = 0;
  #every = 0;
  #hasEvery = false;

  /** `slots`: those of the conversations that can have matches. */
  private constructor(
    question: Question,
    masks: WordMasks,
    slots: Uint32Array,
    options: MatchOptions,
  ) {
    this.#question = question;
    this.#masks = masks;
    this.#options = options;
    this.#onlyTime = asksOnlyForTime(question);
    this.#everyWord = everyWordOf(question);
    this.#subject = options.requiresContentMatch ? subjectOf(question) : this.#everyWord;
    this.includesNeighbours = !options.requiresContentMatch && matchesNeighbours(question);
    this.#prefersEveryWord =
      !this.includesNeighbours &&
      !this.#onlyTime &&
      question.words.length < MIN_WORDS_FOR_NEIGHBOURS;
    // Instructions of other conversations would fill every answer.
    this.#includesInstructions = this.includesNeighbours && slots.length === 1;
  }

  #count(indexed: IndexedConversation, message: number): void {
    if (!this.#mayCount(indexed, message) || !this.accepts(indexed, message)) return;
    const hasEvery = maskOf(this.#masks.content, indexed, message) === this.#everyWord;
    this.#hasEvery ||= hasEvery;
    if (this.isLeftOut(indexed, message)) return;
    this.#some += 1;
    if (hasEvery) this.#every += 1;
  }

  /** All messages with words match, and none is left out. */
  get #acceptsAll(): boolean {
    const { accepts, except } = this.#options;
    return this.includesNeighbours && accepts === undefined && except === undefined;
  }

  #countWords(numbers: Uint32Array): void {
    const { content } = this.#masks;
    const everyWord = this.#everyWord;
    this.#some = numbers.length;
    this.#hasEvery = numbers.some((number) => content[number] === everyWord);
  }

  static async count(
    question: Question,
    found: FoundWords,
    slots: Uint32Array,
    options: MatchOptions,
    slice: TimeSlice,
  ): Promise<WordMatches> {
    const matches = new WordMatches(question, found.table.masks, slots, options);
    const { numbers, searched, table } = found;
    if (matches.includesWordless) {
      for (const slot of slots) {
        const indexed = searched[slot];
        for (let message = 0; indexed && message < indexed.numbers.length; message++)
          matches.#count(indexed, message);
        if (slice.isSpent()) await slice.yield();
      }
      return matches;
    }
    if (matches.#acceptsAll) {
      matches.#countWords(numbers);
      return matches;
    }
    for (let from = 0; from < numbers.length; from += STEP) {
      for (const number of numbers.subarray(from, from + STEP)) {
        const indexed = searched[table.slots[number] ?? 0];
        if (indexed !== undefined) matches.#count(indexed, table.indexes[number] ?? 0);
      }
      if (slice.isSpent()) await slice.yield();
    }
    return matches;
  }

  /** Messages can match in a conversation that has no word of the question. */
  get includesWordless(): boolean {
    return this.#onlyTime || this.#includesInstructions;
  }

  get total(): number {
    return this.#prefersEveryWord && this.#hasEvery ? this.#every : this.#some;
  }

  /** Whether the content of a match has all words. */
  get hasAllWords(): boolean {
    return this.#hasEvery || this.#onlyTime;
  }

  /** Whether a message matches by its own words, its time or as an instruction. */
  matches(indexed: IndexedConversation, message: number): boolean {
    if (!this.#mayCount(indexed, message)) return false;
    return (
      !this.#prefersEveryWord ||
      !this.#hasEvery ||
      maskOf(this.#masks.content, indexed, message) === this.#everyWord
    );
  }

  accepts({ conversationId, conversation }: IndexedConversation, message: number): boolean {
    if (this.#onlyTime && !isInTime(this.#question, conversation.times[message])) return false;
    return this.#options.accepts?.(conversationId, message + 1) !== false;
  }

  isLeftOut({ conversationId }: IndexedConversation, message: number): boolean {
    return this.#options.except?.({ conversationId, seq: message + 1 }) === true;
  }

  #mayCount(indexed: IndexedConversation, message: number): boolean {
    if (this.#onlyTime) return isInTime(this.#question, indexed.conversation.times[message]);
    if (!this.includesNeighbours)
      return (maskOf(this.#masks.content, indexed, message) & this.#subject) !== 0;
    return (
      maskOf(this.#masks.all, indexed, message) !== 0 ||
      (this.#includesInstructions &&
        ((indexed.conversation.flags[message] ?? 0) & IS_INSTRUCTION) !== 0)
    );
  }
}

/** Bitmask of the words that are not about the conversation; of all words if all are about it. */
function subjectOf(question: Question): number {
  const subject = question.words.reduce(
    (bits, { weight }, word) => (weight < 1 ? bits : bits | (1 << word)),
    0,
  );
  return subject === 0 ? everyWordOf(question) : subject;
}
