/**
 * Shortens titles, modules and tags, because a very long one would fill a whole answer.
 */

const LONGEST_TEXT = 200;

/** Returns the text, or its first 200 code units and an ellipsis. A surrogate pair is not divided. */
export function shortened(text: string): string {
  if (text.length <= LONGEST_TEXT) return text;
  return `${text.slice(0, LONGEST_TEXT).toWellFormed()}…`;
}
