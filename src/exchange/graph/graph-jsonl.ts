/** Facts as JSON Lines, which have all fields and can be imported again. */
import { hasFourDigitYear, isoTime, timeOfText } from '../../base/clock.js';
import { AppError } from '../../base/errors.js';
import { jsonTextsIn } from '../../base/json.js';
import { isRecord, isString, type JsonObject } from '../../base/json-fields.js';
import type { NewTriple, Triple } from '../../stores/knowledge-graph/model/triple.js';

/** The line of a fact. `validTo` is present for facts that have ended; times are ISO 8601. */
export function factLine({ ts, validTo, ...triple }: Triple): string {
  const { subject, predicate, object, conversationId, messageId } = triple;
  const times = { ts: isoTime(ts), ...(validTo !== undefined && { validTo: isoTime(validTo) }) };
  return JSON.stringify({ subject, predicate, object, ...times, conversationId, messageId });
}

/** The fields that `factOf` reads. */
export const FACT_FIELDS: readonly string[] = [
  'subject',
  'predicate',
  'object',
  'ts',
  'validTo',
  'conversationId',
  'messageId',
];

/** Only subject, predicate and object are required; limits are not checked. VALIDATION_ERROR. */
export function factOf(value: unknown): NewTriple {
  const { ts, validTo, conversationId, messageId } = asObject(value);
  return {
    ...partsOf(value),
    ...(ts !== undefined && { ts: timeOf('ts', ts) }),
    ...(validTo !== undefined && { validTo: timeOf('validTo', validTo) }),
    ...(isString(conversationId) && { conversationId }),
    ...(isString(messageId) && { messageId }),
  };
}

/** What every line of a fact has; other fields are not checked. VALIDATION_ERROR. */
export function partsOf(value: unknown): Pick<NewTriple, 'subject' | 'predicate' | 'object'> {
  const { subject, predicate, object } = asObject(value);
  if (!isString(subject) || !isString(predicate) || !isString(object)) {
    throw new AppError(
      'VALIDATION_ERROR',
      'The line must have a subject, a predicate and an object.',
    );
  }
  return { subject, predicate, object };
}

function asObject(value: unknown): JsonObject {
  if (isRecord(value)) return value;
  throw new AppError('VALIDATION_ERROR', 'The line is not a JSON object.');
}

function timeOf(name: string, value: unknown): number {
  const time = isString(value) ? timeOfText(value) : value;
  if (typeof time !== 'number' || Number.isNaN(time)) {
    throw new AppError('VALIDATION_ERROR', `The value of ${name} is not a time.`);
  }
  // Its time zone moves such a text into another year. An export has a sign before years of more digits.
  if (isString(value) && /^\d{4}-/.test(value) && !hasFourDigitYear(time)) {
    const problem = `is ${isoTime(time)} in UTC, but the year must have four digits`;
    throw new AppError('VALIDATION_ERROR', `The value of ${name} ${problem}.`);
  }
  return time;
}

interface Line {
  /** From 1. */
  readonly number: number;
  readonly value: string;
  /** Offset of the end of the line in the text. */
  readonly end: number;
}

/** A generator, because a text may have millions of lines. */
export function* linesOf(text: string): Generator<Line> {
  let start = text.startsWith('\uFEFF') ? 1 : 0;
  for (let number = 1; start < text.length; number += 1) {
    const next = text.indexOf('\n', start);
    const end = next === -1 ? text.length : next;
    const value = text.slice(start, end).trim();
    if (value !== '') {
      for (const each of jsonTextsIn(value)) yield { number, value: each, end };
    }
    start = end + 1;
  }
}
