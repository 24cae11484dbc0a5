/**
 * The words that set a conversation apart from the rest of the store: tf-idf by messages. A word
 * weighs (1 + ln t) · ln(1 + (N + 1) / (n + 1)): t of the session's messages have it, n of the N
 * messages outside this conversation do.
 */

import { wordsOf } from '../base/segments.js';
import type { TimeSlice } from '../base/time-slice.js';
import type { Message } from '../stores/conversations/document/schema.js';
import { proseLines } from './sentences.js';
import { STOP_WORDS } from './stop-words.js';

/** So many of the most frequent words are looked up in the index. */
const CANDIDATES = 40;
const LONGEST_WORD = 40;
/** Scripts whose words are short and unspaced. */
const DENSE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u;
const HIRAGANA_ONLY = /^\p{Script=Hiragana}+$/u;
const LETTERS = /^\p{L}[\p{L}\p{M}\p{N}'’-]*$/u;

export interface WordCount {
  readonly word: string;
  /** Messages that have it: of the session, and of the whole conversation. */
  readonly inSession: number;
  readonly inConversation: number;
}

export interface Frequencies {
  /** Messages in the store. */
  readonly documents: number;
  /** For each word, the messages of the store that have it. */
  readonly counts: readonly number[];
}

/**
 * The words worth weighing, most frequent first. Of no title: everybody sees that already. `session`
 * are the last of `all`.
 */
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

/** The `most` words of the greatest weight. `conversationMessages`: how many the conversation has. */
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

async function messagesByWord(
  messages: readonly Message[],
  slice: TimeSlice,
  counts = new Map<string, number>(),
): Promise<Map<string, number>> {
  for (const { role, content } of messages) {
    if (role === 'system') continue;
    if (slice.isSpent()) await slice.yield();
    for (const word of distinctiveWordsOf(content)) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return counts;
}

function distinctiveWordsOf(content: string): Set<string> {
  const all = new Set(proseLines(content).flatMap(wordsOf));
  const lowercase = new Set([...all].map((word) => word.toLowerCase()));
  return new Set([...lowercase].filter(isDistinctive));
}

function isDistinctive(word: string): boolean {
  if (!LETTERS.test(word) || word.length > LONGEST_WORD) return false;
  if (DENSE.test(word)) return word.length >= 2 && !HIRAGANA_ONLY.test(word);
  return word.length >= 3 && !STOP_WORDS.has(word.replaceAll('’', "'"));
}
