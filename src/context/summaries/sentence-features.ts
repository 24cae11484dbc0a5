/**
 * The sentences of a conversation with the features that decide whether they belong in a summary: terms,
 * position, role, and whether they decide or ask something. Code, quotations and system messages are left
 * out.
 */

import type { TimeSlice } from '../../base/async/time-slice.js';
import { estimateTextTokens } from '../../base/text/estimate-tokens.js';
import type { Conversation, Message, Role } from '../../stores/conversations/document/schema.js';
import { openQuestions } from '../open-questions.js';
import { ruleFor } from '../promises.js';
import { sentencesOf } from '../sentences.js';
import { DENSE_SCRIPT, HIRAGANA, isFunctionWord, saysDecision } from './languages.js';

export interface Sentence {
  readonly text: string;
  readonly role: Role;
  /** Position of its message among all messages without system messages, from 0 to 1. */
  readonly time: number;
  /** Index in the conversation. */
  readonly order: number;
  readonly tokens: number;
  readonly terms: ReadonlyMap<string, number>;
  /** 0 to 1, higher at beginnings and ends, which mostly state the subject. */
  readonly position: number;
  /** Names, numbers and code: 0 to 1. */
  readonly entities: number;
  readonly isDecision: boolean;
  readonly isPromise: boolean;
  readonly isOpenQuestion: boolean;
}

/** A longer conversation is reduced to this, because comparing sentences is quadratic. */
const MAX_SENTENCES = 600;
const TIME_BINS = 20;
const ENTITY =
  /(?<=[\p{Ll},;:] )\p{Lu}[\p{L}\p{N}'’-]+|\d[\d.,:/-]*|`[^`]+`|"[^"]{2,60}"|[\w-]+\.[a-z]{2,4}\b|https?:\S+/gu;
const ENTITIES_FOR_ALL = 4;
/** A stem is the beginning of a word: inexact, but the same for all languages with spaces. */
const STEM_LENGTH = 6;
const RUN = /[\p{L}\p{M}\p{N}]+/gu;

/** In order. If it is a part of `whole`, a question answered after the part is not open. */
export async function sentencesWithFeatures(
  conversation: Conversation,
  slice: TimeSlice,
  whole = conversation,
): Promise<Sentence[]> {
  const dialogue = conversation.messages.filter(({ role }) => role !== 'system');
  const ids = new Set(dialogue.map(({ id }) => id));
  const questions = await openQuestions(whole, slice);
  const open = new Set(
    questions.filter(({ messageId }) => ids.has(messageId)).map(({ text }) => text),
  );
  const found: Sentence[] = [];
  for (const [index, message] of dialogue.entries()) {
    if (slice.isSpent()) await slice.yield();
    const sentences = sentencesOf(message.content);
    for (const [at, text] of sentences.entries()) {
      const position = positionOf(at, sentences.length, index, dialogue);
      found.push(
        withFeatures(text, message, {
          order: found.length,
          position,
          time: index / dialogue.length,
          open,
        }),
      );
    }
  }
  return found.length <= MAX_SENTENCES ? found : bestOfEachPeriod(found);
}

/** By term: number of its occurrences. A term is a stem, or a pair of characters in scripts without spaces. */
export function termsOf(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  const count = (term: string) => counts.set(term, (counts.get(term) ?? 0) + 1);
  for (const [run] of text.normalize('NFKC').toLowerCase().matchAll(RUN)) {
    if (DENSE_SCRIPT.test(run)) {
      const signs = [...run];
      for (let at = 0; at + 1 < signs.length; at += 1) {
        const pair = `${signs[at]}${signs[at + 1]}`;
        if (!HIRAGANA.test(pair)) count(pair);
      }
    } else if (run.length > 1 && !isFunctionWord(run)) count(run.slice(0, STEM_LENGTH));
  }
  return counts;
}

interface Placed {
  readonly order: number;
  readonly position: number;
  readonly time: number;
  readonly open: ReadonlySet<string>;
}

function withFeatures(text: string, { role }: Message, { open, ...placed }: Placed): Sentence {
  const promise = ruleFor(text);
  return {
    text,
    role,
    ...placed,
    tokens: estimateTextTokens(text) + 1,
    terms: termsOf(text),
    entities: Math.min(1, (text.match(ENTITY) ?? []).length / ENTITIES_FOR_ALL),
    isDecision: promise === 'agreement' || saysDecision(text),
    isPromise: promise !== undefined,
    isOpenQuestion: open.has(text),
  };
}

function positionOf(
  at: number,
  count: number,
  index: number,
  dialogue: readonly Message[],
): number {
  const firstUser = dialogue.findIndex(({ role }) => role === 'user');
  const isFirst = at === 0;
  if (index === Math.max(0, firstUser)) return isFirst ? 1 : 0.6;
  if (index === dialogue.length - 1) return isFirst || at === count - 1 ? 0.6 : 0.4;
  return isFirst ? 0.3 : 0;
}

/** Keeps the best sentences of each period, by features of the sentence alone. */
function bestOfEachPeriod(sentences: readonly Sentence[]): Sentence[] {
  const bins = Array.from({ length: TIME_BINS }, (): Sentence[] => []);
  for (const sentence of sentences)
    bins[Math.min(TIME_BINS - 1, Math.floor(sentence.time * TIME_BINS))]?.push(sentence);
  const worth = (sentence: Sentence) =>
    sentence.position +
    sentence.entities +
    Number(sentence.isDecision) +
    Number(sentence.isOpenQuestion) +
    Math.min(1, sentence.terms.size / 10);
  return bins
    .flatMap((bin) => bin.sort((a, b) => worth(b) - worth(a)).slice(0, MAX_SENTENCES / TIME_BINS))
    .sort((a, b) => a.order - b.order);
}
