/**
 * The extractive summary, which needs no language model: it selects sentences of the conversation by their
 * centrality, their position, and whether they name, decide or ask something (docs/CONTEXT.md). Nothing is
 * rephrased, so nothing can be invented. The same conversation always has the same summary.
 */

import type { TimeSlice } from '../../base/async/time-slice.js';
import { endWithin, estimateTextTokens } from '../../base/text/estimate-tokens.js';
import type { Conversation } from '../../stores/conversations/document/schema.js';
import type { SummaryLevel } from '../../stores/summaries/summary-file.js';
import { centralities, cosine, tfIdfVectors, type Vector } from './centrality.js';
import { DENSE_SCRIPT, headingsOf, languageOf } from './languages.js';
import { LEVEL_TOKENS } from './levels.js';
import { type Sentence, sentencesWithFeatures } from './sentence-features.js';

/** A sentence with the score of its features. */
interface Scored extends Sentence {
  readonly score: number;
  readonly vector: Vector;
}

/** Chosen by experiments with the dialogues of the tests. Centrality has the weight 1. */
const FEATURE_WEIGHTS = {
  position: 0.5,
  decision: 0.8,
  question: 0.15,
  promise: 0.1,
  entities: 0.2,
  user: 0.1,
};
/** Penalties for a sentence that repeats selected ones, and for one of the same period as selected ones. */
const REPETITION = 0.9;
const CROWDING = 0.12;
const TIME_BINS = 8;
/** A sentence with fewer terms gets a part of its score; one with a single term ("Perfect.") gets none. */
const FULL_TERMS = 5;
const MIN_FULLNESS_OF_DECISION = 0.8;
/** Maximum shares of the budget for the lists of decisions and of open questions. */
const SHARE_OF_DECISIONS = 0.35;
const SHARE_OF_QUESTIONS = 0.2;
const ENDS_SENTENCE = /[.!?…:;。！？：；)\]"”』」]$/u;

/** `undefined` if there is no message. At most the tokens of the level, plus a tenth for headings. */
export async function extractSummary(
  conversation: Conversation,
  level: SummaryLevel,
  slice: TimeSlice,
  whole = conversation,
): Promise<string | undefined> {
  const sentences = await scoredSentences(conversation, slice, whole);
  const budget = LEVEL_TOKENS[level];
  const text =
    level === 'brief'
      ? joined(selectSentences(sentences, budget))
      : textWithLists(conversation, level, sentences);
  return text === '' ? beginningOf(conversation, budget) : text;
}

function textWithLists(
  conversation: Conversation,
  level: SummaryLevel,
  sentences: readonly Scored[],
): string {
  const budget = LEVEL_TOKENS[level];
  const decisions = fitting(
    newestFirst(sentences.filter(({ isDecision }) => isDecision)),
    budget * SHARE_OF_DECISIONS,
  );
  const questions = fitting(
    newestFirst(sentences.filter(({ isOpenQuestion }) => isOpenQuestion)),
    budget * SHARE_OF_QUESTIONS,
  );
  const listed = new Set<Sentence>([...decisions, ...questions]);
  const spent = [...listed].reduce((sum, { tokens }) => sum + tokens + 1, 0);
  const texts = new Set([...listed].map(({ text }) => text));
  const rest = sentences.filter(({ text }) => !texts.has(text));
  const chosen = selectSentences(rest, budget - spent);
  return composeText(conversation, level, { chosen, decisions, questions });
}

async function scoredSentences(
  conversation: Conversation,
  slice: TimeSlice,
  whole: Conversation,
): Promise<Scored[]> {
  const sentences = await sentencesWithFeatures(conversation, slice, whole);
  const vectors = tfIdfVectors(sentences.map(({ terms }) => terms));
  const ranks = await centralities(vectors, slice);
  return sentences.map((sentence, at) => {
    const fullness = fullnessOf(sentence);
    const features =
      (ranks[at] ?? 0) +
      FEATURE_WEIGHTS.position * sentence.position +
      FEATURE_WEIGHTS.decision * Number(sentence.isDecision) +
      FEATURE_WEIGHTS.question * Number(sentence.isOpenQuestion) +
      FEATURE_WEIGHTS.promise * Number(sentence.isPromise) +
      FEATURE_WEIGHTS.entities * sentence.entities +
      FEATURE_WEIGHTS.user * Number(sentence.role === 'user');
    return { ...sentence, score: features * fullness, vector: vectors[at] ?? new Map() };
  });
}

/** A decision may be short ("We take the bricks."), so it has a lower limit. */
function fullnessOf({ terms, isDecision }: Sentence): number {
  if (terms.size < 2) return 0;
  return Math.min(1, Math.max(terms.size / FULL_TERMS, isDecision ? MIN_FULLNESS_OF_DECISION : 0));
}

/** The best that fit, in order. A sentence that repeats selected ones has a lower score. */
function selectSentences(sentences: readonly Scored[], budget: number): Scored[] {
  const left = new Map(sentences.map((sentence) => [sentence, { repeats: 0 }]));
  const crowds = new Map<number, number>();
  const chosen: Scored[] = [];
  let room = budget;
  const worth = (sentence: Scored, repeats: number) =>
    sentence.score * (1 - REPETITION * repeats) - CROWDING * (crowds.get(binOf(sentence)) ?? 0);
  for (;;) {
    let best: { sentence: Scored; value: number } | undefined;
    for (const [sentence, { repeats }] of left) {
      const value = worth(sentence, repeats);
      if (sentence.tokens <= room && (best === undefined || value > best.value))
        best = { sentence, value };
    }
    if (best === undefined || (best.value <= 0 && chosen.length > 0)) break;
    const { sentence } = best;
    left.delete(sentence);
    chosen.push(sentence);
    room -= sentence.tokens;
    crowds.set(binOf(sentence), (crowds.get(binOf(sentence)) ?? 0) + 1);
    for (const [other, state] of left) {
      if (other.text === sentence.text) left.delete(other);
      state.repeats = Math.max(state.repeats, cosine(sentence.vector, other.vector));
    }
  }
  return chosen.sort((a, b) => a.order - b.order);
}

const binOf = ({ time }: Sentence) => Math.floor(time * TIME_BINS);

const newestFirst = (sentences: readonly Scored[]) => sentences.toReversed();

/** The first sentences that fit and do not repeat each other, in the order of the conversation. */
function fitting(sentences: readonly Scored[], tokens: number): Scored[] {
  const kept: Scored[] = [];
  let room = tokens;
  for (const sentence of sentences) {
    if (sentence.tokens > room || kept.some(({ vector }) => cosine(vector, sentence.vector) > 0.8))
      continue;
    room -= sentence.tokens + 1;
    kept.push(sentence);
  }
  return kept.sort((a, b) => a.order - b.order);
}

interface Parts {
  readonly chosen: readonly Scored[];
  readonly decisions: readonly Scored[];
  readonly questions: readonly Scored[];
}

function composeText(conversation: Conversation, level: SummaryLevel, parts: Parts): string {
  const { chosen, decisions, questions } = parts;
  const headings = headingsOf(
    languageOf(conversation.messages.map(({ content }) => content).join('\n')),
  );
  const lines = (sentences: readonly Scored[]) => sentences.map(({ text }) => `- ${text}`);
  const speaker = ({ role }: Sentence) =>
    headings && `${role === 'user' ? headings.user : headings.assistant}: `;
  const body =
    level === 'detailed'
      ? chosen.map((sentence) => `- ${speaker(sentence) ?? ''}${sentence.text}`).join('\n')
      : joined(chosen);
  const listed = (name: string | undefined, sentences: readonly Scored[]) =>
    sentences.length === 0
      ? []
      : [[...(name === undefined ? [] : [`${name}:`]), ...lines(sentences)].join('\n')];
  return [
    ...(body === '' ? [] : [body]),
    ...listed(headings?.decisions, decisions),
    ...listed(headings?.questions, questions),
  ].join('\n\n');
}

function joined(sentences: readonly Scored[]): string {
  return sentences
    .map(({ text }) =>
      ENDS_SENTENCE.test(text) ? text : `${text}${DENSE_SCRIPT.test(text.slice(-1)) ? '。' : '.'}`,
    )
    .reduce(
      (all, text) => `${all}${all === '' || DENSE_SCRIPT.test(text.slice(0, 1)) ? '' : ' '}${text}`,
      '',
    );
}

/** The beginning of the first message, if there are no sentences (code) or none fits. */
function beginningOf({ messages }: Conversation, budget: number): string | undefined {
  const first = messages.find(({ role, content }) => role !== 'system' && content.trim() !== '');
  if (first === undefined) return undefined;
  const text = first.content.replaceAll(/\s+/g, ' ').trim();
  if (estimateTextTokens(text) <= budget) return text;
  return `${text.slice(0, endWithin(text, 0, budget - 1))}…`;
}
