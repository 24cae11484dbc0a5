/** Removes text between `<private>` and `</private>`, which is never stored. */

const TAG = /<(\/?)private\s*>/gi;
export const PRIVATE_MARK = '[private part left out]';

/** A fast check: false if the text certainly has no private part. */
export const mayBePrivate = (text: string): boolean => /<\/?private/i.test(text);

/**
 * Returns the text with a mark in place of each private part, and the number of parts. Nested parts count as
 * one. A tag without its closing tag is not changed.
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
