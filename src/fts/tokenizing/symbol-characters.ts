/**
 * Decides which characters are symbols, and which are spaces, CJK or punctuation. A symbol is part of a word
 * as it is typed (`C++`, `.env`, `--flag`); FTS5's tokenizer treats it as a space. symbol-chunks.ts stores
 * such words, and unicode-tables.ts decides where the words of FTS5 end.
 */

/** The code unit that is taken to follow the last character of a chunk. */
const END = 0x20;
/** No CJK character has a lower code. */
const FIRST_CJK = 0x2e80;

const SPACE = 1;
/** A symbol at any position. */
const SYMBOL = 2;
/** A symbol if a character follows that is neither a space nor punctuation: `.env`, `a:b`. */
const LEADING = 3;
/** Punctuation. */
const CLOSING = 4;
const BEYOND_ASCII = 5;
/** A space outside ASCII. */
const WIDE_SPACE = 6;
/** The kind of every UTF-16 code unit; 0 for ASCII letters, digits and the rest. */
const KINDS = new Uint8Array(0x10000).fill(BEYOND_ASCII, 128);
for (const [chars, kind] of [
  [' \t\n\v\f\r', SPACE],
  ['#$%&*+/<=>@\\^_|~-', SYMBOL],
  ['.:', LEADING],
  [',;!?)]}\'"', CLOSING],
  ['\u00a0\u3000', WIDE_SPACE],
] as const) {
  for (const char of chars) KINDS[char.charCodeAt(0)] = kind;
}

/** Whether a code unit ends a chunk. */
export function isSpaceUnit(code: number): boolean {
  const kind = KINDS[code];
  return kind === SPACE || kind === WIDE_SPACE;
}

/** Whether a code unit may belong to a CJK character: a cheap test that most text fails. */
export const isCjkUnit = (code: number) => code >= FIRST_CJK && !isSpaceUnit(code);

/** Whether a code unit is a symbol, given the code unit after it. */
export function isSymbolUnit(code: number, following: number): boolean {
  const kind = KINDS[code];
  if (kind !== LEADING) return kind === SYMBOL;
  const after = KINDS[following];
  return after === 0 || after === SYMBOL || after === BEYOND_ASCII;
}

/** Whether a chunk without spaces has a symbol, which the words of the chunk do not represent. */
export function hasSymbols(chunk: string): boolean {
  for (let at = 0; at < chunk.length; at++) {
    const following = at + 1 < chunk.length ? chunk.charCodeAt(at + 1) : END;
    if (isSymbolUnit(chunk.charCodeAt(at), following)) return true;
  }
  return false;
}
