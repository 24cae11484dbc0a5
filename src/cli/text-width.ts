/**
 * How wide a text is on a terminal, and breaking it into lines of a width: colours take no room,
 * CJK characters and emoji take two columns, marks none.
 */

// biome-ignore lint/suspicious/noControlCharactersInRegex: the colours that paint.ts puts in
const COLOURS = /\u001b\[[\d;]*m/g;
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|[\u{20000}-\u{3fffd}]/u;
const NO_WIDTH = /[\p{Mn}\p{Me}\p{Cf}]/u;
/** Spaces, and the places between wide characters, where a line may break. */
const PIECES = /[^\S\n]+|\n|[^\s]+/gu;

export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text.replace(COLOURS, '')) width += widthOf(character);
  return width;
}

function widthOf(character: string): number {
  if (NO_WIDTH.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

export const padEnd = (text: string, width: number) =>
  text + ' '.repeat(Math.max(0, width - displayWidth(text)));

/** Lines of at most `width` columns, broken at spaces; a word that is longer is broken anywhere. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  const end = () => {
    lines.push(line.trimEnd());
    line = '';
  };
  for (const [piece] of text.matchAll(PIECES)) {
    if (piece === '\n') {
      end();
      continue;
    }
    if (displayWidth(line) + displayWidth(piece) > width) {
      if (piece.trim() === '') continue;
      if (line.trim() !== '' && displayWidth(piece) <= width) end();
      for (const part of parts(piece, width - displayWidth(line), width)) {
        if (displayWidth(line) + displayWidth(part) > width) end();
        line += part;
      }
    } else if (line !== '' || piece.trim() !== '') {
      line += piece;
    }
  }
  if (line.trim() !== '' || lines.length === 0) end();
  return lines;
}

/** A word in parts, the first of at most `room` columns, the others of `width`; colours stay whole. */
function* parts(word: string, room: number, width: number): Generator<string> {
  let part = '';
  let left = room;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the same colours
  for (const [unit] of word.matchAll(/\u001b\[[\d;]*m|[\s\S]/gu)) {
    const own = unit.startsWith('\u001b') ? 0 : widthOf(unit);
    if (own > left) {
      yield part;
      part = '';
      left = width;
    }
    part += unit;
    left -= own;
  }
  yield part;
}
