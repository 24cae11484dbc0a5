/**
 * Finds questions that have no answer yet, as far as the order of the messages shows (docs/CONTINUITY.md):
 * those that the other side did not answer, and those whose answer was postponed.
 */
import type { TimeSlice } from '../base/async/time-slice.js';
import { PUT_OFF } from './phrases-in-other-languages.js';
import {
  type Candidate,
  candidate,
  type Excerpt,
  type LocatedMessage,
  latestMessages,
  selectFrom,
} from './picked-sentences.js';
import { sentencesOf } from './sentences.js';

/**
 * Matches a sentence that ends in a question mark: Latin, full-width, Arabic, Ethiopic, Vai, Coptic.
 * Closing quotes, exclamation marks and emoji may follow, but no word and no full stop.
 */
const ENDS_AS_QUESTION = /[?？؟⁇⁈⁉﹖︖፧꘏⳺⳻‽][^\p{L}\p{N}.。]*$/u;
/** Chinese and Japanese questions may end in a particle; Armenian has the mark inside the word. */
const ASKS_BY_ITSELF = /(?:(?:です|ます|ません|でした|ました|でしょう)か|[吗嗎])[。．.]?$|\u055e/u;
/** The Greek question mark is a semicolon. */
const GREEK_QUESTION = /\p{Script=Greek}[^\p{Script=Latin}]*[;\u037e]$/u;
const PUT_OFF_IN_ENGLISH =
  /\b(?:(?:i|we)(?:'ll| will)? (?:get back to you|let you know|have to think|need to think|need to check|check (?:that|this|it)|(?:don't|do not) know(?: yet)?)|let me (?:think|check|get back)|not sure(?: yet)?|no idea(?: yet)?|(?:let's|we can) (?:discuss|decide|talk about) (?:that|this|it) (?:later|tomorrow|next))\b/i;
/** In a longer reply these phrases do not count, because such a reply mostly also answers the question. */
const SHORT_REPLY = 300;
/** Questions in older messages are not reported: after so many messages they are not open. */
const MESSAGES_SEARCHED = 200;

export interface OpenQuestion extends Candidate {
  readonly rule: 'no-reply' | 'put-off';
  /** Id of the reply that postpones the answer. */
  readonly replyMessageId?: string;
}

/** Newest message first; questions of one message in their order. */
export function openQuestions(conversation: Excerpt, slice: TimeSlice): Promise<OpenQuestion[]> {
  const replies = new Replies();
  return selectFrom(latestMessages(conversation, MESSAGES_SEARCHED), slice, (located) => {
    const given = replies.repliesTo(located);
    replies.add(located);
    if (!given.every(isPutOff)) return [];
    const [reply] = given;
    const rule = reply === undefined ? 'no-reply' : 'put-off';
    const putOff = reply === undefined ? {} : { replyMessageId: reply.message.id };
    return sentencesOf(located.message.content)
      .filter(isQuestion)
      .map((text) => ({ ...candidate(located, text), rule, ...putOff }));
  });
}

/** The other side's messages up to the next of the same side. Add them newest first. */
class Replies {
  readonly #turns: Record<string, LocatedMessage[]> = {};
  #lastRole = '';

  repliesTo({ message: { role } }: LocatedMessage): readonly LocatedMessage[] {
    return this.#turns[role === 'user' ? 'assistant' : 'user'] ?? [];
  }

  add(located: LocatedMessage): void {
    const { role } = located.message;
    if (role !== this.#lastRole) this.#turns[role] = [];
    this.#turns[role]?.unshift(located);
    this.#lastRole = role;
  }
}

export function isQuestion(sentence: string): boolean {
  return [ENDS_AS_QUESTION, GREEK_QUESTION, ASKS_BY_ITSELF].some((mark) => mark.test(sentence));
}

function isPutOff({ message: { content } }: LocatedMessage): boolean {
  const plain = content.replaceAll('’', "'");
  return content.length <= SHORT_REPLY && (PUT_OFF_IN_ENGLISH.test(plain) || PUT_OFF.test(plain));
}
