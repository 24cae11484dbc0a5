/**
 * Colours, where a terminal wants them: none through a pipe, with NO_COLOR, or where TERM says so.
 */
import type { WriteStream } from 'node:tty';

export interface Paint {
  bold(text: string): string;
  dim(text: string): string;
  italic(text: string): string;
  underline(text: string): string;
  code(text: string): string;
  /** A text whose matches stand between MATCH_START and MATCH_END. */
  matches(text: string): string;
}

/** Put around matches by the index, and turned into colours (or nothing) after all escaping. */
export const MATCH_START = '\ue000';
export const MATCH_END = '\ue001';
const MARKS = new RegExp(`[${MATCH_START}${MATCH_END}]`, 'g');
const RESET = '\u001b[0m';

const plain: Paint = {
  ...{ bold: same, dim: same, italic: same, underline: same, code: same },
  matches: (text) => text.replace(MARKS, ''),
};
const coloured: Paint = {
  bold: (text) => `\u001b[1m${text}\u001b[22m`,
  dim: (text) => `\u001b[2m${text}\u001b[22m`,
  italic: (text) => `\u001b[3m${text}\u001b[23m`,
  underline: (text) => `\u001b[4m${text}\u001b[24m`,
  code: (text) => `\u001b[36m${text}\u001b[39m`,
  matches: (text) =>
    `${text.replace(MARKS, (mark) => (mark === MATCH_START ? '\u001b[1;33m' : RESET))}${RESET}`,
};

function same(text: string): string {
  return text;
}

export function paintFor(stream: WriteStream): Paint {
  return stream.isTTY && stream.hasColors() ? coloured : plain;
}
