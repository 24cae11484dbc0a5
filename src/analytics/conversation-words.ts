/**
 * The most frequent words of a conversation. For a very long conversation they are estimated, and they are
 * kept while it grows only a little, because counting again would read all of it.
 */
import { TimeSlice } from '../base/async/time-slice.js';
import { frequentWords } from '../context/frequent-words.js';
import type { Message } from '../stores/conversations/document/schema.js';
import type { FrequentWords } from './conversation-figures.js';

/** Words of each conversation from which the topics are made. */
const MOST_WORDS = 40;
/** Maximum number of characters that are counted in one conversation; more would take seconds. */
const MAX_CHARACTERS = 4_000_000;
/** Estimated words are used again while the share of new messages is smaller than this. */
const SHARE_OF_NEW = 0.1;

export async function frequentWordsIn(messages: readonly Message[]): Promise<FrequentWords> {
  const some = evenly(messages);
  const share = some.length / messages.length;
  const estimated = (count: number) => Math.round(count / share);
  const words = (await frequentWords(some, some, MOST_WORDS, new TimeSlice())).map((each) => ({
    word: each.word,
    inSession: estimated(each.inSession),
    inConversation: estimated(each.inConversation),
  }));
  return { words, messages: messages.length, isEstimated: share < 1 };
}

/** Whether the words are valid for the same conversation with `now` messages. */
export const isCurrent = ({ messages, isEstimated }: FrequentWords, now: number): boolean =>
  messages === now || (isEstimated && now - messages < SHARE_OF_NEW * messages);

/** Every message, or every second, third, …: together at most about MAX_CHARACTERS. */
function evenly(messages: readonly Message[]): readonly Message[] {
  const all = messages.reduce((sum, { content }) => sum + content.length, 0);
  const step = Math.ceil(all / MAX_CHARACTERS);
  return step <= 1 ? messages : messages.filter((_, index) => index % step === 0);
}
