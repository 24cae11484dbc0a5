/** The output field `note`, which says which secrets and private parts were not stored. */
import { maskedBetween, maskedNote } from '../../privacy/secret-masker.js';
import { optionalText } from '../define-tool.js';

export const maskedField = optionalText(
  'What was not stored: secrets in well-known formats, and <private> parts.',
);

/** Without `note` if everything was stored. */
export function maskedNoteOf(masked: readonly string[] = []): { note?: string } {
  const note = maskedNote(masked);
  return note === undefined ? {} : { note };
}

/** Finds the masked parts by comparing the given with the stored text. `masked`: parts of other texts. */
export const noteBetween = (
  given: unknown,
  stored: unknown,
  masked: readonly string[] = [],
): { note?: string } => maskedNoteOf([...masked, ...maskedBetween(given, stored)]);

/** The field `note` of several notes, of which some may be absent. */
export function joinedNote(notes: readonly (string | undefined)[]): { note?: string } {
  const given = notes.filter((note) => note !== undefined);
  return given.length === 0 ? {} : { note: given.join(' ') };
}
