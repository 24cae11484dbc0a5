/**
 * Counts tokens exactly with the tokenizer o200k_base, for answers that must not exceed a budget. It is
 * loaded at the first use, because its table has 200 000 entries. `estimate-tokens.ts` has a fast estimate.
 */

let loading: Promise<(text: string) => number> | undefined;

/**
 * Long runs of letters, signs or white space. The tokenizer merges each run as one word, in a time that grows
 * with the square of its length: a word of 100 000 letters would stop the process for a minute.
 */
const LONG_RUN = /([\p{L}\p{M}]{1000}|[^\s\p{L}\p{N}]{1000}|\s{1000})/u;

/**
 * Resolves with a function that counts the tokens of a text. Special tokens in it are counted as plain text.
 * Runs of 1000 characters are counted in parts, which can add a token for each part.
 */
export function tokenCounter(): Promise<(text: string) => number> {
  loading ??= import('gpt-tokenizer/encoding/o200k_base').then(({ countTokens }) => {
    const options = { disallowedSpecial: new Set<string>() };
    return (text) =>
      text.split(LONG_RUN).reduce((sum, part) => sum + countTokens(part, options), 0);
  });
  return loading;
}
