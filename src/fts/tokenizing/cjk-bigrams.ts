/**
 * Finds what FTS5's tokenizer does not index: CJK text within longer runs, and words with symbols
 * (`C++`, `.env`, `--flag`). A CJK run is indexed as its bigrams, the overlapping pairs of its
 * characters, in a hidden column, so that they never change FTS5's answers. This file also decides
 * which chunks have symbols that are more than punctuation; symbols.ts stores those.
 */

/** Indexed before each run, so that no phrase matches across two runs. No term of FTS5 has a space. */
const GAP = ' ';
/** The code unit that is taken to follow the last character of a chunk. */
const END = 0x20;

const CJK =
  '\\u2e80-\\u2fff\\u3005-\\u3007\\u3031-\\u9fff\\uac00-\\ud7af\\uf900-\\ufaff\\uff66-\\uff9f\\u{20000}-\\u{3ffff}';
const CJK_RUN = new RegExp(`[${CJK}]+`, 'gu');
/** No CJK character has a lower code. */
const FIRST_CJK = 0x2e80;

const SPACE = 1;
/** A symbol wherever it stands. */
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
] as const) {
  for (const char of chars) KINDS[char.charCodeAt(0)] = kind;
}

for (const code of [0xa0, 0x3000]) KINDS[code] = WIDE_SPACE;

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

/** The runs of CJK characters in a chunk. */
export function cjkRunsOf(chunk: string): string[] {
  return chunk.match(CJK_RUN) ?? [];
}

/** The overlapping pairs of characters: `abc` gives `ab`, `bc`. A single character gives itself. */
export function bigramsOf(run: string): string[] {
  const chars = [...run];
  return chars.length === 1 ? chars : chars.slice(1).map((char, i) => `${chars[i]}${char}`);
}

/** Whether a chunk without spaces has symbols, so that it is more than its words. */
export function hasSymbols(chunk: string): boolean {
  for (let at = 0; at < chunk.length; at++) {
    const following = at + 1 < chunk.length ? chunk.charCodeAt(at + 1) : END;
    if (isSymbolUnit(chunk.charCodeAt(at), following)) return true;
  }
  return false;
}

/** The tokens of the hidden column for the CJK runs in a chunk without spaces. */
export function cjkTokens(chunk: string): string[] {
  return cjkRunsOf(chunk).flatMap((run) => {
    const bigrams = bigramsOf(run);
    // The last character alone begins no bigram: with this token a prefix search finds it too.
    const last = [...run].at(-1) ?? '';
    return run.length > last.length ? [GAP, ...bigrams, last] : [GAP, ...bigrams];
  });
}
