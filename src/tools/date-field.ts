/**
 * Times as tools take them: ISO 8601, where a day alone means the whole of it.
 */
import { z } from 'zod';
import { AppError } from '../base/errors.js';

/** The schema of an optional time; `what` is the beginning of its description. */
export const dateField = (what: string) =>
  z
    .string()
    .describe(`${what}: ISO 8601, such as 2025-01-24 or 2025-01-24T15:00:00Z.`)
    .exactOptional();

/** Epoch milliseconds. VALIDATION_ERROR names the field. */
export function startOf(name: string, text: string): number {
  const time = Date.parse(text);
  if (!Number.isNaN(time)) return time;
  throw new AppError('VALIDATION_ERROR', `${name} takes a time in ISO 8601, such as 2025-01-24.`);
}

/** The same for the last moment that is meant. */
export function endOf(name: string, text: string): number {
  const time = startOf(name, text);
  return /^\d{4}-\d{2}-\d{2}$/.test(text) ? time + 24 * 60 * 60 * 1000 - 1 : time;
}
