/**
 * One line of what people put into a title, a module or a tag: read whole it could fill an answer.
 */

const LONGEST_TEXT = 200;

/** The text, or its first 200 characters and an ellipsis; never half a character. */
export function shortened(text: string): string {
  if (text.length <= LONGEST_TEXT) return text;
  return `${text.slice(0, LONGEST_TEXT).toWellFormed()}…`;
}
