/**
 * Text in columns of a terminal: how wide it is, cut to a width, padded, wrapped. Colours take no
 * room, and characters such as CJK and emoji take two columns (`string-width`).
 */
import stringWidth from 'string-width';
import wrapAnsi from 'wrap-ansi';

/** A terminal that does not say how wide it is. */
const DEFAULT_COLUMNS = 80;

export const displayWidth = stringWidth;

/** Columns of the terminal; some report 0. */
export const columnsOf = ({ columns }: { readonly columns?: number }): number =>
  columns || DEFAULT_COLUMNS;

export const padEnd = (text: string, width: number): string =>
  text + ' '.repeat(Math.max(0, width - stringWidth(text)));

const segments = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** A text without colours, at most so many columns wide; an ellipsis stands for what is cut. */
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
