/**
 * What FTS5's tokenizer loses, as a second stream of tokens that lives in a column of its own and so
 * never touches FTS5's answers: CJK runs as overlapping pairs of characters, and words with symbols
 * (`C++`, `.env`, `--flag`, `src/a_b.ts`) as their words and symbols in turn. Searching such a thing
 * as typed is then searching a phrase of that column.
 */
import { tokenize } from './tokenizer.js';

/** Stands before each run, so that no phrase reaches from one into the next. No term of FTS5 has a space. */
const GAP = ' ';

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
const KINDS = new Uint8Array(128);
for (const [chars, kind] of [
  [' \t\n\v\f\r', SPACE],
  ['#$%&*+/<=>@\\^_|~-', SYMBOL],
  ['.:', LEADING],
  [',;!?)]}\'"', CLOSING],
] as const) {
  for (const char of chars) KINDS[char.charCodeAt(0)] = kind;
}

const isSpace = (code: number) => KINDS[code] === SPACE || code === 0xa0 || code === 0x3000;

function isSymbolAt(text: string, at: number): boolean {
  const kind = KINDS[text.charCodeAt(at)];
  if (kind !== LEADING) return kind === SYMBOL;
  const following = KINDS[text.charCodeAt(at + 1)];
  return (
    at + 1 < text.length && (following === 0 || following === SYMBOL || following === undefined)
  );
}

/** The words of a chunk and every other character of it, in turn. */
export function piecesOf(chunk: string): string[] {
  const pieces: string[] = [];
  let copied = 0;
  tokenize(chunk, (term, start, end) => {
    pieces.push(...chunk.slice(copied, start), term);
    copied = end;
  });
  pieces.push(...chunk.slice(copied));
  return pieces.filter((piece) => piece.trim() !== '');
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
  for (let at = 0; at < chunk.length; at++) if (isSymbolAt(chunk, at)) return true;
  return false;
}

/** Where extended tokens go: a term as a string, or the words and symbols of a stretch of text. */
export interface ExtendedSink {
  term(term: string): void;
  stretch(text: string, start: number, end: number): void;
}

function emitChunk(
  text: string,
  start: number,
  end: number,
  hasSymbol: boolean,
  hasCjk: boolean,
  sink: ExtendedSink,
): void {
  if (hasSymbol) {
    sink.term(GAP);
    sink.stretch(text, start, end);
  }
  if (!hasCjk) return;
  for (const run of cjkRunsOf(text.slice(start, end))) {
    sink.term(GAP);
    for (const pair of pairsOf(run)) sink.term(pair);
    // The last character alone, so that a search for one character finds it by prefix.
    const last = [...run].at(-1) ?? '';
    if (run.length > last.length) sink.term(last);
  }
}

/** Gives `sink` the extended tokens of `text`, in order. Most prose has few. */
export function extendedTokens(text: string, sink: ExtendedSink): void {
  let start = 0;
  let hasSymbol = false;
  let hasCjk = false;
  for (let at = 0; at <= text.length; at++) {
    const code = at < text.length ? text.charCodeAt(at) : 0x20;
    if (isSpace(code)) {
      if (hasSymbol || hasCjk) emitChunk(text, start, at, hasSymbol, hasCjk, sink);
      start = at + 1;
      hasSymbol = false;
      hasCjk = false;
    } else if (code >= FIRST_CJK) hasCjk = true;
    else if (!hasSymbol && code < 128 && KINDS[code] !== 0) hasSymbol = isSymbolAt(text, at);
  }
}
