/**
 * What FTS5's tokenizer loses. CJK runs become overlapping pairs of characters, tokens in a column of
 * their own, which so never touch FTS5's answers. Words with symbols (`C++`, `.env`, `--flag`) are
 * told here from mere punctuation; symbols.ts keeps them.
 */
/** Stands before each run, so that no phrase reaches from one into the next. No term of FTS5 has a space. */
const GAP = ' ';
/** What follows the last character. */
const END = 0x20;

const CJK =
  '\\u2e80-\\u2fff\\u3005-\\u3007\\u3031-\\u9fff\\uac00-\\ud7af\\uf900-\\ufaff\\uff66-\\uff9f\\u{20000}-\\u{3ffff}';
const CJK_RUN = new RegExp(`[${CJK}]+`, 'gu');
/** Below this code there is no CJK character. */
const FIRST_CJK = 0x2e80;

const SPACE = 1;
/** Never mere sentence punctuation. */
const SYMBOL = 2;
/** Part of a word where another character follows that is no punctuation: `.env`, `a:b`. */
const LEADING = 3;
const CLOSING = 4;
const BEYOND_ASCII = 5;
/** A space beyond ASCII. */
const WIDE_SPACE = 6;
/** Of every code unit, so that no look-up falls outside. */
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

/** Whether a code unit may be part of a CJK character: settles most text cheaply. */
export const isCjkUnit = (code: number) => code >= FIRST_CJK && !isSpaceUnit(code);

/** Whether a code unit makes its chunk more than its words, given the one after it. */
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

/** `abc` gives `ab`, `bc`; a single character gives itself. */
export function pairsOf(run: string): string[] {
  const chars = [...run];
  return chars.length === 1 ? chars : chars.slice(1).map((char, i) => `${chars[i]}${char}`);
}

/** Whether a chunk without spaces has signs that make it more than its words. */
export function hasSymbols(chunk: string): boolean {
  for (let at = 0; at < chunk.length; at++) {
    const following = at + 1 < chunk.length ? chunk.charCodeAt(at + 1) : END;
    if (isSymbolUnit(chunk.charCodeAt(at), following)) return true;
  }
  return false;
}

/** The extended tokens of the CJK runs in a chunk without spaces. */
export function cjkTokens(chunk: string): string[] {
  return cjkRunsOf(chunk).flatMap((run) => {
    const pairs = pairsOf(run);
    // The last character alone, so that a search for one character finds it by prefix.
    const last = [...run].at(-1) ?? '';
    return run.length > last.length ? [GAP, ...pairs, last] : [GAP, ...pairs];
  });
}
