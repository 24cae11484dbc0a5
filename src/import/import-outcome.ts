/**
 * The report of an import: what was imported, what was not, and why. Counts are of conversations, unless a
 * field says otherwise.
 */
import { AppError } from '../base/errors.js';
import type { Input } from '../files/input/input-types.js';
import type { RecordLocation } from './source-interface.js';

export interface ReportedProblem {
  readonly path: string;
  readonly record?: string;
  readonly code: string;
  readonly message: string;
}

export interface ImportOutcome {
  added: number;
  updated: number;
  unchanged: number;
  /** Not imported, because it is damaged, empty or was deleted here. */
  skipped: number;
  /** Messages of the conversations that were added, and messages that were added to others. */
  messages: number;
  /** Secrets and private parts that were removed from messages. */
  masked: number;
  /** Imported besides conversations. */
  notes: number;
  /** Notes of an earlier import that got the newer text of their source. */
  notesUpdated: number;
  insights: number;
  facts: number;
  /** Fields and keys of the state. */
  stateValues: number;
  /** Files that were copied beside conversations. */
  attachments: number;
  /** Left out on purpose, counted by reason. */
  readonly leftOut: Record<string, number>;
  /** Conversations whose new messages at the source do not follow the last message here: they are in a branch now. */
  readonly branched: string[];
  readonly problems: ReportedProblem[];
  /** The number of further problems, which are not in `problems`. */
  moreProblems: number;
  /** The error that ended the import early. What is counted is durable. */
  stopped?: { code: string; message: string };
}

/** The limit for problems in the report, because a damaged file of millions of lines must not fill the memory. */
const MAX_PROBLEMS = 1000;

export function newOutcome(): ImportOutcome {
  return {
    added: 0,
    updated: 0,
    unchanged: 0,
    skipped: 0,
    messages: 0,
    masked: 0,
    notes: 0,
    notesUpdated: 0,
    insights: 0,
    facts: 0,
    stateValues: 0,
    attachments: 0,
    leftOut: {},
    branched: [],
    problems: [],
    moreProblems: 0,
  };
}

/** The number of items that the import adds or changes. */
export function changesIn(outcome: ImportOutcome): number {
  const { added, updated, notes, notesUpdated, insights, facts, stateValues, attachments } =
    outcome;
  return added + updated + notes + notesUpdated + insights + facts + stateValues + attachments;
}

export function addProblem(
  outcome: ImportOutcome,
  { path, record }: RecordLocation,
  { code, message }: { code: string; message: string },
): void {
  if (outcome.problems.length >= MAX_PROBLEMS) outcome.moreProblems += 1;
  else outcome.problems.push({ path, ...(record !== undefined && { record }), code, message });
}

/** The files that were not read, which are known at the end of the import. */
export function addRefused(outcome: ImportOutcome, { refused }: Pick<Input, 'refused'>): void {
  for (const { name, reason, code = 'PATH_ESCAPE', advice = 'It was not read.' } of refused) {
    addProblem(outcome, { path: name }, { code, message: `${name} ${reason}. ${advice}` });
  }
}

export function addLeftOut(outcome: ImportOutcome, reason: string, count = 1): void {
  outcome.leftOut[reason] = (outcome.leftOut[reason] ?? 0) + count;
}

/** The problem of an item that exists here with other content. */
export function differsHere(what: string): AppError {
  return new AppError('ALREADY_EXISTS', `${what} exists with other content. It was not changed.`);
}
