/**
 * The words that occur in the most messages of a conversation, without function words. distinctive-words.ts and
 * the figures choose from them.
 */

import type { TimeSlice } from '../base/async/time-slice.js';
import { wordsOf } from '../base/text/text-segmenter.js';
import type { Message } from '../stores/conversations/document/schema.js';
import { proseLines } from './sentences.js';
import { STOP_WORDS } from './stop-words.js';
import { DENSE_SCRIPT, HIRAGANA } from './summaries/languages.js';

const MAX_WORD_LENGTH = 40;
const LETTERS = /^\p{L}[\p{L}\p{M}\p{N}'’-]*$/u;

export interface WordCount {
  readonly word: string;
  /** Number of messages with the word, in the session and in the whole conversation. */
  readonly inSession: number;
  readonly inConversation: number;
}

/** The `most` words, most frequent first. `session` is the end of `all`. */
export async function frequentWords(
  session: readonly Message[],
  all: readonly Message[],
  most: number,
  slice: TimeSlice,
): Promise<WordCount[]> {
  const inSession = await messagesByWord(session, slice);
  const inConversation = new Map(inSession);
  await messagesByWord(all.slice(0, all.length - session.length), slice, inConversation);
  return [...inSession]
    .sort(([a, countA], [b, countB]) => countB - countA || (a < b ? -1 : 1))
    .slice(0, most)
    .map(([word, count]) => ({
      word,
      inSession: count,
      inConversation: inConversation.get(word) ?? count,
    }));
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
