/**
 * Stored text on its way to a terminal. It is data: nothing in it may move the cursor, change
 * colours, set titles or turn the writing direction, so every control character is spelled out.
 */

// C0 and C1 controls, marks of writing direction, and separators that some terminals break lines at.
const CONTROLS = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

const spelledOut = (character: string) =>
  `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;

/** Safe to print; line breaks and tabs are spelled out too. */
export function escapeControls(text: string): string {
  return text.toWellFormed().replace(CONTROLS, spelledOut);
}

/** The same with its lines as they are. */
export function escapeLines(text: string): string {
  return text.split('\n').map(escapeControls).join('\n');
}

/** The same in one line, white space as single spaces. */
export function oneLine(text: string): string {
  return escapeControls(text.replace(/[\t\n\v\f\r ]+/g, ' ').trim());
}

/** JSON that is safe to print: JSON.stringify leaves some controls as they are. */
export function terminalJson(value: unknown): string {
  // Line breaks come from the indentation; those of texts are escaped already.
  return JSON.stringify(value, null, 2)
    .split('\n')
    .map((line) => line.replace(CONTROLS, spelledOut))
    .join('\n');
}
