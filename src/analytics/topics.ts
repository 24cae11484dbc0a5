/**
 * Topics without a language model: the words that set the messages of a report apart from the rest of
 * the store, by the same weights that `session_start` uses.
 */
import { TimeSlice } from '../base/time-slice.js';
import { mostDistinctive, type WordCount } from '../context/distinctive-words.js';
import type { MessageSearch } from '../search/messages/message-search.js';
import type { Figures } from './figures.js';
import type { Report } from './report.js';

export interface Topic {
  readonly word: string;
  /** Messages of the report that have it, and conversations. */
  readonly messages: number;
  readonly conversations: number;
}

/** Of more conversations only the longest are read: each has to be read once. */
const MOST_CONVERSATIONS = 400;
/** So many of the most frequent words are looked up in the index. */
const CANDIDATES = 150;

/** The most distinctive words first. The conversations of the report are read at the first time. */
export async function topicsOf(
  { conversations, totals }: Report,
  { figures, search, limit }: { figures: Figures; search: MessageSearch; limit: number },
  signal: AbortSignal,
): Promise<Topic[]> {
  const topics = new Map<string, { messages: number; conversations: number }>();
  const slice = new TimeSlice({ signal });
  for (const { figures: each } of conversations.slice(0, MOST_CONVERSATIONS)) {
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
