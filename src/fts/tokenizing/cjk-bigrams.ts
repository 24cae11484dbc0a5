/**
 * Splits CJK text, which FTS5's tokenizer indexes only as whole runs. A run is indexed as its bigrams, the
 * overlapping pairs of its characters, in a hidden column, so that they never change FTS5's answers.
 * query/parse-query.ts makes phrases of bigrams of the CJK text of a query.
 */

/** Indexed before each run, so that no phrase matches across two runs. No term of FTS5 has a space. */
const GAP = ' ';
const CJK =
  '\\u2e80-\\u2fff\\u3005-\\u3007\\u3031-\\u9fff\\uac00-\\ud7af\\uf900-\\ufaff\\uff66-\\uff9f\\u{20000}-\\u{3ffff}';
const CJK_RUN = new RegExp(`[${CJK}]+`, 'gu');

/** The runs of CJK characters in a chunk. */
export function cjkRunsOf(chunk: string): string[] {
  return chunk.match(CJK_RUN) ?? [];
}

/** The overlapping pairs of characters: `abc` gives `ab`, `bc`. A single character gives itself. */
export function bigramsOf(run: string): string[] {
  const chars = [...run];
  return chars.length === 1 ? chars : chars.slice(1).map((char, i) => `${chars[i]}${char}`);
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
