/**
 * Finds sentences that look like promises, reminders or tasks (docs/CONTINUITY.md), with the rules for
 * English; `phrases-in-other-languages.ts` has those for other languages. The marks of task lists are the same in all
 * languages. Whether a promise was kept is not determined.
 */
import type { TimeSlice } from '../base/async/time-slice.js';
import { isQuestion } from './open-questions.js';
import {
  AGREEMENT,
  COMMITMENT,
  CONDITIONAL as CONDITIONAL_IN_OTHER_LANGUAGES,
  DUE as DUE_IN_OTHER_LANGUAGES,
  REMINDER,
  TASK,
} from './phrases-in-other-languages.js';
import {
  type Candidate,
  candidate,
  type Excerpt,
  type LocatedMessage,
  latestMessages,
  selectFrom,
} from './picked-sentences.js';
import { MAX_SENTENCE_LENGTH, proseLines, sentencesOf } from './sentences.js';

export type PromiseRule = 'commitment' | 'agreement' | 'reminder' | 'task';

export interface PromiseCandidate extends Candidate {
  readonly rule: PromiseRule;
  /** The words of the sentence that name a time. */
  readonly due?: string;
}

/** The first rule that matches applies. */
const RULES: readonly { rule: PromiseRule; english: RegExp; otherLanguages: RegExp }[] = [
  {
    rule: 'task',
    english:
      /^(?:to-?do|action items?|follow[- ]?ups?|next steps?|outstanding|still open|deadline)\s*:\s*\S/i,
    otherLanguages: TASK,
  },
  {
    rule: 'reminder',
    english: /\b(?:remind me|don't forget|do not forget|(?:please )?remember to)\b/i,
    otherLanguages: REMINDER,
  },
  {
    rule: 'agreement',
    english:
      /\b(?:we(?:'ll| will| shall| agreed| decided|'re going to| are going to)|let's (?:\w+ ){0,6}(?:tomorrow|next|later|on))\b/i,
    otherLanguages: AGREEMENT,
  },
  {
    rule: 'commitment',
    english:
      /\b(?:i(?:'ll| will| shall| promise|'m going to| am going to| commit to|'ve promised| have promised| plan to| intend to))\b/i,
    otherLanguages: COMMITMENT,
  },
];

/** Phrases in the form of a promise that promise nothing. */
const NO_PROMISE =
  /\b(?:i|we)(?:'ll| will| shall) (?:be honest|admit|say|bet|assume|confess|grant|never know|see)\b|\bi(?:'m| am) going to (?:be honest|say|assume)\b/i;
/** A sentence that begins with a condition is not a promise. */
const CONDITIONAL = /^(?:if|unless|when(?:ever)?|should|suppose|imagine)\b/i;

const WEEKDAY = '(?:mon|tues|wednes|thurs|fri|satur|sun)day';
const MONTH =
  '(?:january|february|march|april|may|june|july|august|september|october|november|december)';
const DUE = new RegExp(
  `\\b(?:(?:by|before|on|until|no later than) (?:the )?(?:end of (?:the )?\\w+|${WEEKDAY}|tomorrow|tonight|noon|midnight|next \\w+|${MONTH}(?: \\d{1,2})?|\\d{1,2}(?:st|nd|rd|th)?(?: of)? ${MONTH}|\\d{4}-\\d{2}-\\d{2}|\\d{1,2}(?::\\d{2})? ?(?:am|pm))|(?:next|this) (?:week|month|quarter|year|${WEEKDAY})|in (?:an?|one|two|three|\\d+) (?:minutes?|hours?|days?|weeks?|months?)|tomorrow|tonight|later today|${WEEKDAY}|\\d{4}-\\d{2}-\\d{2})\\b`,
  'i',
);

/** An item of a task list: its box, and its text. */
const TASK_ITEM = /^\s*(?:[-*+]|\d{1,9}[.)])\s+\[([ xX])\]\s+(\S.*)$/;
const MESSAGES_SEARCHED = 500;

/** Newest message first; promises of one message in their order. */
export function promisesIn(conversation: Excerpt, slice: TimeSlice): Promise<PromiseCandidate[]> {
  return selectFrom(latestMessages(conversation, MESSAGES_SEARCHED), slice, promisesOf);
}

/** Promises that name a time first; each group newest first. */
export function dueFirst(promises: readonly PromiseCandidate[]): PromiseCandidate[] {
  const isDue = ({ due }: PromiseCandidate) => due !== undefined;
  return [...promises.filter(isDue), ...promises.filter((promise) => !isDue(promise))];
}

function promisesOf(located: LocatedMessage): PromiseCandidate[] {
  const { content } = located.message;
  const lines = proseLines(content).map((line) => ({ line, task: TASK_ITEM.exec(line) }));
  const tasks = lines.flatMap(({ task }) => {
    const [, box, text = ''] = task ?? [];
    return box !== ' ' || text.trim().length > MAX_SENTENCE_LENGTH
      ? []
      : [picked(located, text.trim(), 'task')];
  });
  // The text after a box is a task, open or done, however it is worded.
  const others = lines.flatMap(({ line, task }) => (task === null ? [line] : []));
  const spoken = sentencesOf(others.join('\n')).flatMap((text) => {
    const rule = ruleFor(text);
    return rule === undefined ? [] : [picked(located, text, rule)];
  });
  return [...tasks, ...spoken];
}

/** The first rule that the sentence matches, if any. */
export function ruleFor(sentence: string): PromiseRule | undefined {
  const plain = sentence.replaceAll('’', "'").replace(/[*_`]/g, '');
  const promisesNothing = [CONDITIONAL, CONDITIONAL_IN_OTHER_LANGUAGES, NO_PROMISE];
  if (isQuestion(plain) || promisesNothing.some((words) => words.test(plain))) return undefined;
  return RULES.find(
    ({ english, otherLanguages }) => english.test(plain) || otherLanguages.test(plain),
  )?.rule;
}

function picked(located: LocatedMessage, text: string, rule: PromiseRule): PromiseCandidate {
  const due = (DUE.exec(text) ?? DUE_IN_OTHER_LANGUAGES.exec(text))?.[0];
  return { ...candidate(located, text), rule, ...(due !== undefined && { due }) };
}
