/**
 * Scores a summary from 0 to 1 without a model (docs/CONTEXT.md): how many of the main subjects of the
 * conversation it has, how evenly it covers the whole time, and whether its names and numbers are in the
 * conversation. It separates a thin or invented summary from a good one, but does not rank good ones. Also
 * decides by the score which answers of a model are refused.
 */
import type { TimeSlice } from '../../base/async/time-slice.js';
import type { Conversation, Message } from '../../stores/conversations/document/schema.js';
import { MAX_CHARACTERS } from '../sentences.js';
import { termsOf } from './sentence-features.js';
import { OPENING, SYSTEM_PROMPT } from './summary-prompts.js';

const SALIENT_TERMS = 40;
/** In a longer conversation, only every second, third, … message is read. */
const MAX_MESSAGES = 1000;
const STRETCHES = 4;
/** Proper names in the middle of a sentence, and numbers: statements that can be checked. */
const CLAIM = /(?<=[\p{Ll},;:] )\p{Lu}[\p{L}\p{N}]+|\d+(?:[.,:/-]\d+)*/gu;
const SHARES = { coverage: 0.4, spread: 0.25, grounded: 0.35 };
/** A text with no main word of the conversation, and without names and numbers, has 0.35. */
const MIN_QUALITY = 0.36;
/** The beginning of the system prompt, and the mark before the transcript in every prompt. */
const INSTRUCTIONS = [SYSTEM_PROMPT.slice(0, 60), OPENING];

/**
 * Whether the answer of a model can be its summary. False for a refusal, for a repetition of the instructions,
 * and for a summary of something else.
 */
export const isAcceptable = async (
  answer: string,
  conversation: Conversation,
  slice: TimeSlice,
): Promise<boolean> =>
  !INSTRUCTIONS.some((text) => answer.includes(text)) &&
  (await qualityOf(answer, conversation, slice)) >= MIN_QUALITY;

/** Rounded to two digits. */
export async function qualityOf(
  summary: string,
  { messages }: Pick<Conversation, 'messages'>,
  slice: TimeSlice,
): Promise<number> {
  const all = messages.filter(({ role }) => role !== 'system');
  const step = Math.ceil(all.length / MAX_MESSAGES);
  const sample: (readonly string[])[] = [];
  for (let at = 0; at < all.length; at += step) {
    if (slice.isSpent()) await slice.yield();
    sample.push([...termsOf(all[at]?.content.slice(0, MAX_CHARACTERS) ?? '').keys()]);
  }
  const summaryTerms = new Set(termsOf(summary).keys());
  const score =
    SHARES.coverage * coverage(summaryTerms, sample) +
    SHARES.spread * spread(summaryTerms, sample) +
    SHARES.grounded * (await grounded(summary, all, slice));
  return Math.round(score * 100) / 100;
}

/** The distinct terms of each message that is read. */
type Sample = readonly (readonly string[])[];

/**
 * Share of the most frequent terms that the summary has. A term's weight is the number of its messages; the
 * square root reduces the disadvantage of short summaries.
 */
function coverage(terms: ReadonlySet<string>, sample: Sample): number {
  const salient = salientTerms(sample);
  const all = salient.reduce((sum, [, count]) => sum + count, 0);
  const hit = salient.reduce((sum, [term, count]) => sum + (terms.has(term) ? count : 0), 0);
  return all === 0 ? 0 : Math.sqrt(hit / all);
}

function spread(terms: ReadonlySet<string>, sample: Sample): number {
  const length = Math.max(1, Math.ceil(sample.length / STRETCHES));
  let [stretches, touched] = [0, 0];
  for (let from = 0; from < sample.length; from += length) {
    stretches += 1;
    const own = salientTerms(sample.slice(from, from + length)).slice(0, SALIENT_TERMS / STRETCHES);
    if (own.some(([term]) => terms.has(term))) touched += 1;
  }
  return stretches === 0 ? 0 : touched / stretches;
}

async function grounded(
  summary: string,
  messages: readonly Message[],
  slice: TimeSlice,
): Promise<number> {
  const claims = new Set(summary.match(CLAIM) ?? []);
  const missing = new Set(claims);
  for (const { content } of messages) {
    if (slice.isSpent()) await slice.yield();
    for (const claim of missing) if (content.includes(claim)) missing.delete(claim);
  }
  return claims.size === 0 ? 1 : 1 - missing.size / claims.size;
}

function salientTerms(sample: Sample): [string, number][] {
  const counts = new Map<string, number>();
  for (const terms of sample) {
    for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  }
  return [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).slice(0, SALIENT_TERMS);
}
