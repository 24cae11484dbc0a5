/**
 * The words that distinguish a conversation from the rest of the store, by tf-idf over messages. The weight
 * of a word is (1 + ln t) · ln(1 + (N + 1) / (n + 1)), where t messages of the session and n of the N
 * messages outside this conversation have it.
 */

import { wordsOf } from '../base/text-segmenter.js';
import type { TimeSlice } from '../base/time-slice.js';
import type { Message } from '../stores/conversations/document/schema.js';
import { proseLines } from './sentences.js';
import { STOP_WORDS } from './stop-words.js';
import { DENSE_SCRIPT, HIRAGANA } from './summaries/languages.js';

/** Number of the most frequent words whose frequency is read from the index. */
const CANDIDATES = 40;
const MAX_WORD_LENGTH = 40;
const LETTERS = /^\p{L}[\p{L}\p{M}\p{N}'’-]*$/u;

export interface WordCount {
  readonly word: string;
  /** Number of messages with the word, in the session and in the whole conversation. */
  readonly inSession: number;
  readonly inConversation: number;
}

export interface Frequencies {
  /** Number of messages in the store. */
  readonly documents: number;
  /** By word: number of messages of the store with the word. */
  readonly counts: readonly number[];
}

/** Candidates for distinctive words, most frequent first. `session` is the end of `all`. */
export async function frequentWords(
  session: readonly Message[],
  all: readonly Message[],
  slice: TimeSlice,
): Promise<WordCount[]> {
  const inSession = await messagesByWord(session, slice);
  const inConversation = new Map(inSession);
  await messagesByWord(all.slice(0, all.length - session.length), slice, inConversation);
  return [...inSession]
    .sort(([a, countA], [b, countB]) => countB - countA || (a < b ? -1 : 1))
    .slice(0, CANDIDATES)
    .map(([word, count]) => ({
      word,
      inSession: count,
      inConversation: inConversation.get(word) ?? count,
    }));
}

/** The `most` words with the greatest weight among `conversationMessages` messages. */
export function mostDistinctive(
  words: readonly WordCount[],
  { documents, counts }: Frequencies,
  conversationMessages: number,
  most: number,
): string[] {
  const outside = Math.max(0, documents - conversationMessages);
  return words
    .map(({ word, inSession, inConversation }, index) => {
      const elsewhere = Math.max(0, (counts[index] ?? 0) - inConversation);
      const weight = (1 + Math.log(inSession)) * Math.log(1 + (outside + 1) / (elsewhere + 1));
      return { word, weight };
    })
    .sort((a, b) => b.weight - a.weight || (a.word < b.word ? -1 : 1))
    .slice(0, most)
    .map(({ word }) => word);
}

/** Function words of the language of each message are not counted. */
async function messagesByWord(
  messages: readonly Message[],
  slice: TimeSlice,
  counts = new Map<string, number>(),
): Promise<Map<string, number>> {
  // Not before it is needed, because a server must start fast.
  const { functionWordMask, languageOf } = await import('../recall/languages.js');
  let language = 0;
  for (const { role, content } of messages) {
    if (role === 'system') continue;
    if (slice.isSpent()) await slice.yield();
    const words = new Set(
      proseLines(content)
        .flatMap(wordsOf)
        .map((word) => word.toLowerCase()),
    );
    language = languageOf(words, language);
    for (const word of words) {
      const isFunctionWord = (functionWordMask(word) & (1 << language)) !== 0;
      if (!isFunctionWord && isDistinctive(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
    }
  }
  return counts;
}

function isDistinctive(word: string): boolean {
  if (!LETTERS.test(word) || word.length > MAX_WORD_LENGTH) return false;
  if (DENSE_SCRIPT.test(word)) return word.length >= 2 && !HIRAGANA.test(word);
  return word.length >= 3 && !STOP_WORDS.has(word.replaceAll('’', "'"));
}
