/** `<private>…</private>`: a text that is marked like this is never stored. */

const TAG = /<(\/?)private\s*>/gi;
export const PRIVATE_MARK = '[private part left out]';

/** A cheap test that most texts fail. */
export const mayBePrivate = (text: string): boolean => /<\/?private/i.test(text);

/**
 * The text with a mark in the place of each private part, and their number. A part within a part ends
 * with the outer one; a tag that is not closed is a part of the text.
 */
export function withoutPrivateParts(text: string): { text: string; parts: number } {
  const kept: string[] = [];
  let depth = 0;
  let from = 0;
  let opened = 0;
  let parts = 0;
  for (const { index, 0: tag, 1: slash } of text.matchAll(TAG)) {
    if (slash === '') {
      if (depth === 0) opened = index;
      depth += 1;
    } else if (depth > 0) {
      depth -= 1;
      if (depth > 0) continue;
      kept.push(text.slice(from, opened), PRIVATE_MARK);
      from = index + tag.length;
      parts += 1;
    }
  }
  return { text: kept.join('') + text.slice(from), parts };
}
