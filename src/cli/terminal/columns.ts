/**
 * Measures, cuts, pads and wraps text in terminal columns. Colour codes have no width; characters such as
 * CJK and emoji have two columns (`string-width`).
 */
import stringWidth from 'string-width';
import wrapAnsi from 'wrap-ansi';

/** For a terminal that does not report its width. */
const DEFAULT_COLUMNS = 80;

export const displayWidth = stringWidth;

/** Columns of the terminal. Some terminals report 0. */
export const columnsOf = ({ columns }: { readonly columns?: number }): number =>
  columns || DEFAULT_COLUMNS;

/** The width of the widest text. Not `Math.max`, for which a list can have too many texts. */
export const widest = (texts: readonly string[]): number =>
  texts.reduce((most, text) => Math.max(most, displayWidth(text)), 0);

export const padEnd = (text: string, width: number): string =>
  text + ' '.repeat(Math.max(0, width - stringWidth(text)));

const segments = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Cuts a text without colour codes to `width` columns; the last one is then an ellipsis. */
export function cut(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let shown = '';
  let room = width - 1;
  for (const { segment } of segments.segment(text)) {
    room -= stringWidth(segment);
    if (room < 0) break;
    shown += segment;
  }
  return `${shown.trimEnd()}…`;
}

/** Lines of at most `width` columns, broken at spaces; a longer word is broken anywhere. */
export function wrap(text: string, width: number): string[] {
  return wrapAnsi(text, width, { hard: true, wordWrap: true, trim: true }).split('\n');
}
