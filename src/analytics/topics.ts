/**
 * Topics without a language model: the words that distinguish the messages of a report from the rest of the
 * store, with the same weights as `session_start`.
 */
import { TimeSlice } from '../base/async/time-slice.js';
import { mostDistinctive } from '../context/distinctive-words.js';
import type { WordCount } from '../context/frequent-words.js';
import type { KeywordSearch } from '../search/messages/keyword-search.js';
import type { Figures } from './figures.js';
import type { Report } from './report.js';

export interface Topic {
  readonly word: string;
  /**
   * Number of messages and conversations with the word. Of the conversations of the report, all messages
   * count. A conversation counts only if the word is one of its most frequent words.
   */
  readonly messages: number;
  readonly conversations: number;
}

/** Only the longest conversations are read, because reading takes time. */
const MAX_CONVERSATIONS = 400;
/** Number of the most frequent words whose frequency is read from the index. */
const CANDIDATES = 150;

/** The most distinctive words first. The first call reads the conversations of the report. */
export async function topicsOf(
  { conversations, totals }: Report,
  { figures, search, limit }: { figures: Figures; search: KeywordSearch; limit: number },
  signal: AbortSignal,
): Promise<Topic[]> {
  const topics = new Map<string, { messages: number; conversations: number }>();
  const slice = new TimeSlice({ signal });
  for (const { figures: each } of conversations.slice(0, MAX_CONVERSATIONS)) {
    for (const { word, inConversation } of await figures.wordsOf(each)) {
      const known = topics.get(word) ?? { messages: 0, conversations: 0 };
      known.messages += inConversation;
      known.conversations += 1;
      topics.set(word, known);
    }
    if (slice.isSpent()) await slice.yield();
  }
  const candidates: WordCount[] = [...topics]
    .sort(([a, one], [b, other]) => other.messages - one.messages || (a < b ? -1 : 1))
    .slice(0, CANDIDATES)
    .map(([word, { messages }]) => ({ word, inSession: messages, inConversation: messages }));
  const frequencies = await search.frequencies(candidates.map(({ word }) => word));
  return mostDistinctive(candidates, frequencies, totals.messages, limit).map((word) => ({
    word,
    ...(topics.get(word) ?? { messages: 0, conversations: 0 }),
  }));
}
