/** The error for a settings file that Daybook cannot change safely. */
import { AppError } from '../../base/errors.js';
import type { Client } from './clients.js';

export function unfitFile({ path }: Client, what: string, cause?: unknown): AppError {
  return new AppError('CORRUPT', `${path} ${what}.`, {
    hint: 'The file was not changed. Correct it, or print the entry with daybook init --print and add it by hand.',
    details: { path },
    cause,
  });
}
