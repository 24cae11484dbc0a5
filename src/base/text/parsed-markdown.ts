/**
 * Guards the parser `marked`, because a stored text may be hostile. `marked` compares each `*` of a paragraph with
 * each `_`, so 64 kB of `*a_` take more than a minute, and thousands of nested quotes overflow its stack.
 */

/** So many pairs take about a second. Long texts with tables of identifiers have fewer. */
const MAX_PAIRS = 10_000_000;

/** The result of `parse`; `undefined` for a text that must be shown as plain text. */
export function parsedMarkdown<T>(text: string, parse: (text: string) => T): T | undefined {
  if (count(text, '*') * count(text, '_') > MAX_PAIRS) return undefined;
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const count = (text: string, mark: string) => text.split(mark).length - 1;
