/** Colours for a terminal. There are none in a pipe, with NO_COLOR, or if TERM has no colours. */
import type { WriteStream } from 'node:tty';
import { styleText } from 'node:util';

export interface Paint {
  bold(text: string): string;
  dim(text: string): string;
  italic(text: string): string;
  underline(text: string): string;
  code(text: string): string;
  /** Colours the matches, which are between MATCH_START and MATCH_END. */
  matches(text: string): string;
}

/** The search puts these around matches; after escaping they are replaced by colours or removed. */
export const MATCH_START = '\ue000';
export const MATCH_END = '\ue001';
const MARKS = new RegExp(`[${MATCH_START}${MATCH_END}]`, 'g');
const MATCH = new RegExp(`${MATCH_START}([^${MATCH_START}${MATCH_END}]*)${MATCH_END}?`, 'g');

export const withoutMarks = (text: string): string => text.replace(MARKS, '');

const same = (text: string) => text;
const plain: Paint = {
  bold: same,
  dim: same,
  italic: same,
  underline: same,
  code: same,
  matches: withoutMarks,
};

type Style = Parameters<typeof styleText>[0];
/** Without validation of the stream, because `paintFor` has already checked it. */
const styled = (style: Style) => (text: string) =>
  styleText(style, text, { validateStream: false });

const coloured: Paint = {
  bold: styled('bold'),
  dim: styled('dim'),
  italic: styled('italic'),
  underline: styled('underline'),
  code: styled('cyan'),
  matches: (text) =>
    text.replace(MATCH, (_, match: string) => styled(['bold', 'yellow'])(match)).replace(MARKS, ''),
};

export function paintFor(stream: WriteStream): Paint {
  return stream.isTTY && stream.hasColors() ? coloured : plain;
}
