/**
 * Times as tools take them: ISO 8601, a day alone or with a time of day. A day that begins a span
 * means its first millisecond, one that ends it its last. No tool of its own.
 */
import { z } from 'zod';
import { AppError } from '../base/errors.js';

const DAY_MS = 24 * 60 * 60 * 1000;

export function timeField(what: string) {
  return z
    .string()
    .describe(`${what}: ISO 8601, such as 2025-01-24 or 2025-01-24T15:00:00Z.`)
    .exactOptional();
}

/** Epoch milliseconds. VALIDATION_ERROR, naming the field. */
export function startTime(name: string, text: string): number {
  const time = Date.parse(text);
  if (!Number.isNaN(time)) return time;
  throw new AppError('VALIDATION_ERROR', `${name} takes a time in ISO 8601, such as 2025-01-24.`, {
    details: { field: name },
  });
}

/** The same; a day alone means all of it. */
export function endTime(name: string, text: string): number {
  const time = startTime(name, text);
  return /^\d{4}-\d{2}-\d{2}$/.test(text) ? time + DAY_MS - 1 : time;
}
