/**
 * The most frequent words of a conversation. Those of a very long one are estimated, and stay as they are
 * while it grows by a little: to count them again, all of it would have to be read.
 */
import { TimeSlice } from '../base/time-slice.js';
import { frequentWords } from '../context/distinctive-words.js';
import type { Message } from '../stores/conversations/document/schema.js';
import type { Counted, FrequentWords } from './counted.js';
import type { MessageFigures } from './message-figures.js';

/** Characters of one conversation whose words are counted; more would take seconds. */
const MOST_READ = 4_000_000;
/** While fewer of the messages are new, estimated words count for them too. */
const SHARE_OF_NEW = 0.1;

export async function frequentWordsIn(messages: readonly Message[]): Promise<FrequentWords> {
  const some = evenly(messages, MOST_READ);
  const share = some.length / messages.length;
  const estimated = (count: number) => Math.round(count / share);
  const words = (await frequentWords(some, some, new TimeSlice())).map((each) => ({
    word: each.word,
    inSession: estimated(each.inSession),
    inConversation: estimated(each.inConversation),
  }));
  return { words, messages: messages.length, isEstimated: share < 1 };
}

/** Whether words count for a conversation that has `now` messages, the first of which they are of. */
export const isCurrent = ({ messages, isEstimated }: FrequentWords, now: number): boolean =>
  messages === now || (isEstimated && now - messages < SHARE_OF_NEW * messages);

/** The words of `before`, if the same messages are the first of `now`. */
export const wordsAfter = (
  before: Counted,
  now: readonly MessageFigures[],
): FrequentWords | undefined =>
  before.messages.every((message, at) => isSame(message, now[at])) ? before.words : undefined;

const isSame = (a: MessageFigures, b: MessageFigures | undefined) =>
  a.time === b?.time && a.role === b.role && a.words === b.words && a.tokens === b.tokens;

/** Every message, or every second, third, …, so that they have about `characters` at most together. */
function evenly(messages: readonly Message[], characters: number): readonly Message[] {
  const all = messages.reduce((sum, { content }) => sum + content.length, 0);
  const step = Math.ceil(all / characters);
  return step <= 1 ? messages : messages.filter((_, index) => index % step === 0);
}
