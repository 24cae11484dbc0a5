/**
 * Finds the words of a question in all messages that are searched. It reads the postings only; the scores
 * (lexical-score.ts) also need the positions of the words in the messages.
 */
import { addBits } from '../../base/arrays/bit-counts.js';
import type { TimeSlice } from '../../base/async/time-slice.js';
import { type Question, wordsByTerm } from '../question/question.js';
import { type IndexedConversation, SIZES, type TableView } from './message-table.js';

/** The words of a question in the messages that are searched. */
export interface FoundWords {
  readonly table: TableView;
  /** By slot. `undefined` if the conversation is not searched. */
  readonly searched: readonly (IndexedConversation | undefined)[];
  /** Numbers of the messages that have words of the question, ascending. */
  readonly numbers: Uint32Array;
  /** By slot: bitmask of the words that the conversation's messages have. */
  readonly conversationWords: Uint32Array;
  readonly statistics: WordStatistics;
}

/** Of all conversations that are searched. */
export interface WordStatistics {
  /** By word of the question: number of messages that have it. */
  readonly counts: Uint32Array;
  readonly messages: number;
  /** Average number of terms in a passage. */
  readonly passageLength: number;
}

/** So many messages are read between two looks at the clock. */
const STEP = 20_000;

/**
 * Finds the words of a question in the conversations in scope; `undefined` is all.
 */
export async function findWords(
  question: Question,
  table: TableView,
  inScope: ((conversationId: string) => boolean) | undefined,
  slice: TimeSlice,
): Promise<FoundWords> {
  const { postings, size, slots, conversations, masks } = table;
  const searched =
    inScope === undefined
      ? conversations
      : conversations.map((one) => (one && inScope(one.conversationId) ? one : undefined));
  for (const [term, word] of wordsByTerm(question)) {
    postings.mark(term, 1 << word, masks);
    if (slice.isSpent()) await slice.yield();
  }
  const numbers = masks.numbers;
  const conversationWords = new Uint32Array(searched.length);
  const counts = new Uint32Array(question.words.length);
  let count = 0;
  for (let from = 0; from < size; from += STEP) {
    const end = Math.min(from + STEP, size);
    for (let number = from; number < end; number++) {
      const own = masks.all[number] ?? 0;
      const slot = slots[number] ?? 0;
      if (own === 0 || searched[slot] === undefined) continue;
      numbers[count++] = number;
      conversationWords[slot] = (conversationWords[slot] ?? 0) | own;
      addBits(counts, 0, own);
    }
    if (slice.isSpent()) await slice.yield();
  }
  const statistics = { counts, ...lengthsOf(table, searched) };
  return {
    table,
    searched,
    numbers: numbers.subarray(0, count),
    conversationWords,
    statistics,
  };
}

/** The slots of the conversations that have words of the question, or of all that are searched. */
export function slotsOf({ searched, conversationWords }: FoundWords, all: boolean): Uint32Array {
  const slots = new Uint32Array(searched.length);
  let count = 0;
  for (let slot = 1; slot < searched.length; slot++)
    if (searched[slot] !== undefined && (all || conversationWords[slot] !== 0))
      slots[count++] = slot;
  return slots.subarray(0, count);
}

function lengthsOf({ sizes }: TableView, searched: FoundWords['searched']) {
  let messages = 0;
  let terms = 0;
  let passages = 0;
  for (let slot = 1; slot < searched.length; slot++) {
    if (searched[slot] === undefined) continue;
    messages += sizes[SIZES * slot] ?? 0;
    terms += sizes[SIZES * slot + 1] ?? 0;
    passages += sizes[SIZES * slot + 2] ?? 0;
  }
  return { messages, passageLength: passages === 0 ? 1 : terms / passages };
}
