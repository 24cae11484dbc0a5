/** The data model of the graph: triples for callers, operations for the files, and their checks. */

import { isoTime, LATEST_TIME } from '../../../base/clock.js';
import { AppError, isAppError } from '../../../base/errors.js';

const MAX_PART_CHARACTERS = 200;
const MAX_ORIGIN_CHARACTERS = 200;
export const PARTS = ['subject', 'predicate', 'object'] as const;

export interface TripleKey {
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
}

/** The source of a fact: a message of a conversation. */
export interface Origin {
  readonly conversationId?: string;
  readonly messageId?: string;
}

/** Times are epoch milliseconds. An ended fact has `validTo`, which may be in the future. */
export interface Triple extends TripleKey, Origin {
  readonly ts: number;
  readonly validTo?: number;
}

/** The default of `ts` is now. With `validTo` the fact is stored as ended. */
export interface NewTriple extends TripleKey, Origin {
  readonly ts?: number;
  readonly validTo?: number;
}

/** The id of an operation: 64 bits as two 32-bit numbers, which fit into typed arrays. */
export interface OperationId {
  readonly hi: number;
  readonly lo: number;
}

/**
 * An operation on one (subject, predicate, object). `at` is internal and orders the operations. The fact is
 * valid from `ts` to `validTo`, which is Infinity for an open fact.
 */
export interface Operation extends OperationId {
  readonly kind: 'add' | 'close' | 'delete';
  readonly at: number;
  readonly ts: number;
  readonly validTo: number;
  readonly origin: Origin | undefined;
}

/** E_KG_INVALID_TRIPLE if a part is empty, too long, or has half a surrogate pair. */
export function checkKey(key: TripleKey): void {
  for (const part of PARTS) {
    const problem = problemWith(key[part], MAX_PART_CHARACTERS);
    if (problem !== undefined) throw invalid(`The ${part} ${problem}.`, key, part);
  }
}

/** Like `checkKey`; also VALIDATION_ERROR for wrong times and wrong origins. */
export function checkTriple(triple: NewTriple): void {
  checkKey(triple);
  const { ts, validTo, conversationId, messageId } = triple;
  for (const time of [ts, validTo]) {
    if (time !== undefined && !isTime(time))
      throw wrong('A time is outside the range that can be stored.');
  }
  if (ts !== undefined && validTo !== undefined && validTo < ts) {
    throw wrong('`validTo` must not be before `ts`.');
  }
  for (const id of [conversationId, messageId]) {
    const problem = id === undefined ? undefined : problemWith(id, MAX_ORIGIN_CHARACTERS);
    if (problem !== undefined)
      throw wrong(`The id of the conversation or message of the fact ${problem}.`);
  }
}

/** Runs `check` for each fact. An error says which of several facts is wrong. */
export function checkEach<T>(facts: readonly T[], check: (fact: T) => void): void {
  for (const [index, fact] of facts.entries()) {
    try {
      check(fact);
    } catch (error) {
      if (facts.length === 1 || !isAppError(error)) throw error;
      const { code, message, hint, details } = error;
      const cause = { hint, details: { ...details, index }, cause: error };
      throw new AppError(code, `Fact ${index + 1} of ${facts.length}: ${message}`, cause);
    }
  }
}

/**
 * Whether a fact is older than `time`. A fact that was written by hand without a time (`ts` 0) never expires.
 */
export const hasExpired = (ts: number, time: number) => ts !== 0 && ts < time;

/** Whether it is a time in Unix milliseconds that a fact can have. */
export function isTime(value: unknown): value is number {
  return Number.isSafeInteger(value) && Math.abs(value as number) <= LATEST_TIME;
}

/** Whether it can be the subject, the predicate or the object of a fact. */
export function isPart(value: unknown): value is string {
  return typeof value === 'string' && problemWith(value, MAX_PART_CHARACTERS) === undefined;
}

/** Returns only the three parts of a triple. */
export const keyOf = ({ subject, predicate, object }: TripleKey) => ({
  subject,
  predicate,
  object,
});

export function originOf({ conversationId, messageId }: Origin): Origin | undefined {
  if (conversationId === undefined && messageId === undefined) return undefined;
  return {
    ...(conversationId !== undefined && { conversationId }),
    ...(messageId !== undefined && { messageId }),
  };
}

function problemWith(text: string, most: number): string | undefined {
  if (text.length === 0) return 'is empty';
  if (!text.isWellFormed()) return 'has half a surrogate pair';
  if (text.length <= most) return undefined;
  const count = [...text].length;
  return count > most ? `has ${count} characters, and at most ${most} can be stored` : undefined;
}

function invalid(message: string, key: TripleKey, part: (typeof PARTS)[number]): AppError {
  return new AppError('E_KG_INVALID_TRIPLE', message, {
    details: { part, value: key[part].slice(0, MAX_PART_CHARACTERS) },
  });
}

const wrong = (message: string) => new AppError('VALIDATION_ERROR', message);

/** The triple as it is shown, with times in ISO 8601. */
export function toTripleView({ ts, validTo, ...triple }: Triple) {
  return {
    ...triple,
    ts: isoTime(ts),
    ...(validTo !== undefined && { validTo: isoTime(validTo) }),
  };
}
