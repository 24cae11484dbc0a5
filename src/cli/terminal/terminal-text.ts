/**
 * Makes stored text safe for a terminal. Control characters in it could move the cursor, change colours,
 * set the title or change the writing direction, so they are written as `\uXXXX`.
 */
import { CONTROLS, unicodeEscape } from '../../base/text/display-text.js';

/** Code has tabs. Their width on a terminal depends on the column, so that lines could not be measured. */
const TAB = '    ';

/** Escapes all control characters, also line breaks and tabs. */
export function escapeControls(text: string): string {
  return text.toWellFormed().replace(CONTROLS, unicodeEscape);
}

/** Escapes all control characters except line breaks and tabs. CRLF becomes LF, a tab becomes spaces. */
export function escapeLines(text: string): string {
  return text
    .split(/\r?\n/)
    .map((line) => escapeControls(line.replaceAll('\t', TAB)))
    .join('\n');
}

/** Replaces white space by single spaces, and escapes all other control characters. */
export function oneLine(text: string): string {
  return escapeControls(text.replace(/[\t\n\v\f\r ]+/g, ' ').trim());
}

/** JSON with all control characters escaped; JSON.stringify does not escape all of them. */
export function terminalJson(value: unknown): string {
  // These line breaks are from the indentation; line breaks in texts are already escaped.
  return JSON.stringify(value, null, 2)
    .split('\n')
    .map((line) => line.replace(CONTROLS, unicodeEscape))
    .join('\n');
}
