/**
 * The messages of all conversations as one list, so that a question reads arrays and not objects. Each message
 * has a number, which the postings use. Numbers ascend and are not reused: that of a deleted message is
 * skipped, until too many are, and the table is made anew.
 */
import { Uint32List, withCapacity } from '../../base/arrays/typed-array.js';
import type { TimeSlice } from '../../base/async/time-slice.js';
import { type ConversationTerms, messagesIn, passagesIn } from '../conversation-terms.js';
import type { Vocabulary } from '../vocabulary.js';
import { reachOf } from './neighbours.js';
import { TermPostings } from './term-postings.js';
import { WordMasks } from './word-masks.js';

/** If so many more messages were deleted than are stored, the table is made anew. */
const MAX_DELETED = 10_000;
/** Masks are so much longer than the table, so that they fit when messages are added. */
const MASKS_GROWTH = 1.25;
/** So many messages are numbered between two looks at the clock. */
const STEP = 1_000;
/** So many sizes of each conversation are side by side, because to read them from its arrays is slow. */
export const SIZES = 3;
const NO_NUMBERS: Uint32Array = new Uint32Array(0);

/** Immutable. A change of the conversation makes a new object. */
export interface IndexedConversation {
  readonly conversationId: string;
  readonly conversation: ConversationTerms;
  /** By index of the message: its number. The last messages have none until the next `view`. */
  readonly numbers: Uint32Array;
  /** Words of a message count only for messages that are at most so many before or after it. */
  readonly reach: number;
  /** The flags of its messages, joined. */
  readonly flags: number;
}

/**
 * The state at one moment. Later changes add numbers, set slots to 0 and change `sizes`, and nothing else.
 */
export interface TableView {
  /** By conversation: its slot. Conversations that were added later have slots beyond `conversations`. */
  readonly slotOf: ReadonlyMap<string, number>;
  /** By slot. `undefined` if the conversation was deleted. */
  readonly conversations: readonly (IndexedConversation | undefined)[];
  /** By slot: SIZES numbers: messages, terms and passages of the conversation. */
  readonly sizes: Uint32Array;
  /** All numbers are lower. */
  readonly size: number;
  /** By number: the conversation's slot; 0 if the message was deleted. */
  readonly slots: Uint32Array;
  /** By number: index of the message in its conversation. */
  readonly indexes: Uint32Array;
  readonly postings: TermPostings;
  /** Without words, and of this view only. */
  readonly masks: WordMasks;
}

export class MessageTable {
  #slotOf = new Map<string, number>();
  /** Slot 0 is no conversation. */
  #conversations: (IndexedConversation | undefined)[] = [undefined];
  #sizes = new Uint32Array(0);
  #slots = new Uint32List();
  #indexes = new Uint32List();
  #postings = new TermPostings();
  #deleted = 0;
  #spareMasks: WordMasks | undefined;
  /** Slots of conversations that have messages without numbers. */
  readonly #unnumbered = new Set<number>();

  get(conversationId: string): IndexedConversation | undefined {
    return this.#conversations[this.#slotOf.get(conversationId) ?? 0];
  }

  *all(): Generator<IndexedConversation> {
    for (const one of this.#conversations) if (one !== undefined) yield one;
  }

  /** `reused`: number of messages, from the first, that are those of the last `put`. */
  put(conversationId: string, conversation: ConversationTerms, reused: number): void {
    const slot = this.#slotOf.get(conversationId) ?? this.#conversations.length;
    const known = this.#conversations[slot];
    const numbers = known?.numbers.subarray(0, reused) ?? NO_NUMBERS;
    this.#forget(known?.numbers.subarray(reused));
    this.#slotOf.set(conversationId, slot);
    const reach = reachOf(conversation);
    const flags = conversation.flags.reduce((all, own) => all | own, 0);
    this.#conversations[slot] = { conversationId, conversation, numbers, reach, flags };
    const sizes = [messagesIn(conversation), conversation.terms.length, passagesIn(conversation)];
    this.#sizes = withCapacity(this.#sizes, SIZES * (slot + 1));
    this.#sizes.set(sizes, SIZES * slot);
    this.#unnumbered.add(slot);
  }

  delete(conversationId: string): void {
    const slot = this.#slotOf.get(conversationId);
    if (slot === undefined) return;
    this.#forget(this.#conversations[slot]?.numbers);
    this.#slotOf.delete(conversationId);
    this.#unnumbered.delete(slot);
    this.#conversations[slot] = undefined;
  }

  /**
   * Gives numbers to the messages that have none yet, and adds their terms to the postings. Returns the state
   * after that. Give its masks back with `releaseMasks`: new ones for each question would be more work for the
   * garbage collector than the question.
   */
  async view(vocabulary: Vocabulary, slice: TimeSlice): Promise<TableView> {
    if (this.#deleted > MAX_DELETED && 2 * this.#deleted > this.#slots.count) this.#clear();
    for (const slot of this.#unnumbered) {
      do {
        // The vocabulary grows if messages are added during a pause.
        this.#number(slot, vocabulary.size);
        if (slice.isSpent()) await slice.yield();
      } while (this.#unnumbered.has(slot));
    }
    return {
      conversations: [...this.#conversations],
      slotOf: this.#slotOf,
      sizes: this.#sizes,
      size: this.#slots.count,
      slots: this.#slots.array,
      indexes: this.#indexes.array,
      postings: this.#postings,
      masks: this.#takeMasks(),
    };
  }

  releaseMasks(masks: WordMasks): void {
    masks.clear();
    this.#spareMasks = masks;
  }

  #takeMasks(): WordMasks {
    const spare = this.#spareMasks;
    this.#spareMasks = undefined;
    const size = this.#slots.count;
    if (spare !== undefined && spare.all.length >= size) return spare;
    return new WordMasks(Math.ceil(size * MASKS_GROWTH));
  }

  /** Gives numbers to the next messages of a conversation, at most STEP. */
  #number(slot: number, vocabularySize: number): void {
    const indexed = this.#conversations[slot];
    const count = indexed === undefined ? 0 : messagesIn(indexed.conversation);
    const first = indexed?.numbers.length ?? 0;
    const end = Math.min(first + STEP, count);
    if (end === count) this.#unnumbered.delete(slot);
    if (indexed === undefined) return;
    const numbers = new Uint32Array(end);
    numbers.set(indexed.numbers);
    for (let message = first; message < end; message++) {
      const number = this.#slots.count;
      numbers[message] = number;
      this.#slots.push(slot);
      this.#indexes.push(message);
      this.#postings.add(indexed.conversation, message, number, vocabularySize);
    }
    this.#conversations[slot] = { ...indexed, numbers };
  }

  #forget(numbers = NO_NUMBERS): void {
    for (const number of numbers) this.#slots.array[number] = 0;
    this.#deleted += numbers.length;
  }

  /** A running question keeps the old arrays. */
  #clear(): void {
    const stored = [...this.all()];
    this.#slotOf = new Map();
    this.#conversations = [undefined];
    this.#sizes = new Uint32Array(0);
    this.#slots = new Uint32List();
    this.#indexes = new Uint32List();
    this.#postings = new TermPostings();
    this.#deleted = 0;
    this.#unnumbered.clear();
    this.#spareMasks = undefined;
    for (const { conversationId, conversation } of stored)
      this.put(conversationId, conversation, 0);
  }
}
