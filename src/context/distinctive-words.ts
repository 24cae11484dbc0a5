/**
 * The words that distinguish a conversation from the rest of the store, by tf-idf over messages. The weight
 * of a word is (1 + ln t) · ln(1 + (N + 1) / (n + 1)), where t messages of the session and n of the N
 * messages outside this conversation have it.
 */
import type { WordCount } from './frequent-words.js';

export interface Frequencies {
  /** Number of messages in the store. */
  readonly documents: number;
  /** By word: number of messages of the store with the word. */
  readonly counts: readonly number[];
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
