/** What tools that save messages say about secrets and private parts that were not stored. */
import { z } from 'zod';
import { maskedBetween, maskedNote } from '../privacy/screen.js';

export const maskedField = z
  .string()
  .describe('What was not stored: secrets in well-known formats, and <private> parts.')
  .exactOptional();

/** Nothing where everything was stored. */
export function maskedNoteOf(masked: readonly string[] = []): { note?: string } {
  const note = maskedNote(masked);
  return note === undefined ? {} : { note };
}

/** The same from what was given and what was stored of it. */
export const noteBetween = (given: unknown, stored: unknown): { note?: string } =>
  maskedNoteOf(maskedBetween(given, stored));
