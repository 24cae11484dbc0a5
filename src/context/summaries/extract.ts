/**
 * The extractive summary, which needs no language model: it selects sentences of the conversation by their
 * centrality, their position, and whether they name, decide or ask something (docs/CONTEXT.md). Nothing is
 * rephrased, so nothing can be invented. The same conversation always has the same summary.
 */

import { endWithin, estimateTextTokens } from '../../base/estimate-tokens.js';
import type { TimeSlice } from '../../base/time-slice.js';
import type { Conversation } from '../../stores/conversations/document/schema.js';
import type { SummaryLevel } from '../../stores/summaries/summary-file.js';
import { centralities, cosine, tfIdfVectors, type Vector } from './centrality.js';
import { DENSE_SCRIPT, headingsOf, languageOf } from './languages.js';
import { LEVEL_TOKENS } from './levels.js';
import { type Unit, unitsOf } from './units.js';

/** A sentence with the score of its features. */
interface Scored extends Unit {
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
  const units = await scoredUnits(conversation, slice, whole);
  const budget = LEVEL_TOKENS[level];
  const text =
    level === 'brief'
      ? joined(selectUnits(units, budget))
      : textWithLists(conversation, level, units);
  return text === '' ? beginningOf(conversation, budget) : text;
}

function textWithLists(
  conversation: Conversation,
  level: SummaryLevel,
  units: readonly Scored[],
): string {
  const budget = LEVEL_TOKENS[level];
  const decisions = fitting(
    newestFirst(units.filter(({ isDecision }) => isDecision)),
    budget * SHARE_OF_DECISIONS,
  );
  const questions = fitting(
    newestFirst(units.filter(({ isOpenQuestion }) => isOpenQuestion)),
    budget * SHARE_OF_QUESTIONS,
  );
  const listed = new Set<Unit>([...decisions, ...questions]);
  const spent = [...listed].reduce((sum, { tokens }) => sum + tokens + 1, 0);
  const rest = units.filter((unit) => !listed.has(unit));
  const chosen = selectUnits(rest, budget - spent);
  return composeText(conversation, level, { chosen, decisions, questions });
}

async function scoredUnits(
  conversation: Conversation,
  slice: TimeSlice,
  whole: Conversation,
): Promise<Scored[]> {
  const units = await unitsOf(conversation, slice, whole);
  const vectors = tfIdfVectors(units.map(({ terms }) => terms));
  const ranks = await centralities(vectors, slice);
  return units.map((unit, at) => {
    const fullness = fullnessOf(unit);
    const features =
      (ranks[at] ?? 0) +
      FEATURE_WEIGHTS.position * unit.position +
      FEATURE_WEIGHTS.decision * Number(unit.isDecision) +
      FEATURE_WEIGHTS.question * Number(unit.isOpenQuestion) +
      FEATURE_WEIGHTS.promise * Number(unit.isPromise) +
      FEATURE_WEIGHTS.entities * unit.entities +
      FEATURE_WEIGHTS.user * Number(unit.role === 'user');
    return { ...unit, score: features * fullness, vector: vectors[at] ?? new Map() };
  });
}

/** A decision may be short ("We take the bricks."), so it has a lower limit. */
function fullnessOf({ terms, isDecision }: Unit): number {
  if (terms.size < 2) return 0;
  return Math.min(1, Math.max(terms.size / FULL_TERMS, isDecision ? MIN_FULLNESS_OF_DECISION : 0));
}

/** The best that fit, in order. Each is selected for what the selected ones do not say. */
function selectUnits(units: readonly Scored[], budget: number): Scored[] {
  const left = new Map(units.map((unit) => [unit, { repeats: 0 }]));
  const crowds = new Map<number, number>();
  const chosen: Scored[] = [];
  let room = budget;
  const worth = (unit: Scored, repeats: number) =>
    unit.score * (1 - REPETITION * repeats) - CROWDING * (crowds.get(binOf(unit)) ?? 0);
  for (;;) {
    let best: { unit: Scored; value: number } | undefined;
    for (const [unit, { repeats }] of left) {
      const value = worth(unit, repeats);
      if (unit.tokens <= room && (best === undefined || value > best.value)) best = { unit, value };
    }
    if (best === undefined || (best.value <= 0 && chosen.length > 0)) break;
    const { unit } = best;
    left.delete(unit);
    chosen.push(unit);
    room -= unit.tokens;
    crowds.set(binOf(unit), (crowds.get(binOf(unit)) ?? 0) + 1);
    for (const [other, state] of left) {
      state.repeats = Math.max(state.repeats, cosine(unit.vector, other.vector));
    }
  }
  return chosen.sort((a, b) => a.order - b.order);
}

const binOf = ({ time }: Unit) => Math.floor(time * TIME_BINS);

const newestFirst = (units: readonly Scored[]) => units.toReversed();

/** The first sentences that fit and do not repeat each other, in the order of the conversation. */
function fitting(units: readonly Scored[], tokens: number): Scored[] {
  const kept: Scored[] = [];
  let room = tokens;
  for (const unit of units) {
    if (unit.tokens > room || kept.some(({ vector }) => cosine(vector, unit.vector) > 0.8))
      continue;
    room -= unit.tokens + 1;
    kept.push(unit);
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
  const lines = (units: readonly Scored[]) => units.map(({ text }) => `- ${text}`);
  const speaker = ({ role }: Unit) =>
    headings && `${role === 'user' ? headings.user : headings.assistant}: `;
  const body =
    level === 'detailed'
      ? chosen.map((unit) => `- ${speaker(unit) ?? ''}${unit.text}`).join('\n')
      : joined(chosen);
  const listed = (name: string | undefined, units: readonly Scored[]) =>
    units.length === 0
      ? []
      : [[...(name === undefined ? [] : [`${name}:`]), ...lines(units)].join('\n')];
  return [
    ...(body === '' ? [] : [body]),
    ...listed(headings?.decisions, decisions),
    ...listed(headings?.questions, questions),
  ].join('\n\n');
}

function joined(units: readonly Scored[]): string {
  return units
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
