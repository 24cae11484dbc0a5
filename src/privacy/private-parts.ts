/** Removes text between `<private>` and `</private>`, which is never stored. */

const TAG = /<(\/?)private\s*>/gi;
const PRIVATE_MARK = '[private part left out]';

/** A fast check: false if the text certainly has no private part. */
export const mayBePrivate = (text: string): boolean => /<\/?private/i.test(text);

/**
 * Returns the text with a mark in place of each private part, and the number of parts. Nested parts count as
 * one. A tag without its partner is not changed, and does not protect the parts after it.
 */
export function withoutPrivateParts(text: string): { text: string; parts: number } {
  const kept: string[] = [];
  let from = 0;
  const parts = privateParts(text);
  for (const { start, end } of parts) {
    kept.push(text.slice(from, start), PRIVATE_MARK);
    from = end;
  }
  return { text: kept.join('') + text.slice(from), parts: parts.length };
}

/** The outermost pairs of an opening and a closing tag, in order. */
function privateParts(text: string): { readonly start: number; readonly end: number }[] {
  const opened: number[] = [];
  const parts: { start: number; end: number }[] = [];
  for (const { index, 0: tag, 1: slash } of text.matchAll(TAG)) {
    if (slash === '') {
      opened.push(index);
      continue;
    }
    const start = opened.pop();
    if (start === undefined) continue;
    while ((parts.at(-1)?.start ?? -1) > start) parts.pop(); // they are inside this part
    parts.push({ start, end: index + tag.length });
  }
  return parts;
}
