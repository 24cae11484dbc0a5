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
/** A sign that is never mere sentence punctuation, or one that leads into a word; or a CJK character. */
const SIGNIFICANT = new RegExp(`[#$%&*+/<=>@\\\\^_|~-]|[.:][^\\s.,;:!?)\\]}>"']|[${CJK}]`, 'gu');
const CJK_RUN = new RegExp(`[${CJK}]+`, 'gu');
const SPACE = /\s/;

function spaceBefore(text: string, at: number, least: number): number {
  let start = at;
  while (start > least && !SPACE.test(text.charAt(start - 1))) start--;
  return start;
}

function spaceAfter(text: string, at: number): number {
  let end = at;
  while (end < text.length && !SPACE.test(text.charAt(end))) end++;
  return end;
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
  return pieces.filter((piece) => !SPACE.test(piece));
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
  return chunk.replace(CJK_RUN, '').search(SIGNIFICANT) >= 0;
}

/** Calls `sink` for each extended token of `text`, in order. Most prose has few. */
export function extendedTokens(text: string, sink: (term: string) => void): void {
  SIGNIFICANT.lastIndex = 0;
  let done = 0;
  for (let found = SIGNIFICANT.exec(text); found !== null; found = SIGNIFICANT.exec(text)) {
    const start = spaceBefore(text, found.index, done);
    const end = spaceAfter(text, found.index);
    done = end;
    const chunk = text.slice(start, end);
    if (hasSymbols(chunk)) {
      sink(GAP);
      for (const piece of piecesOf(chunk)) sink(piece);
    }
    for (const run of cjkRunsOf(chunk)) {
      sink(GAP);
      for (const pair of pairsOf(run)) sink(pair);
      // The last character alone, so that a search for one character finds it by prefix.
      if (run.length > 1) sink([...run].at(-1) ?? '');
    }
    SIGNIFICANT.lastIndex = end;
  }
}
