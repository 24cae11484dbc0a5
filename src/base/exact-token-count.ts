/**
 * Counts tokens exactly with the tokenizer o200k_base, for answers that must not exceed a budget. It is
 * loaded at the first use, because its table has 200 000 entries. `estimate-tokens.ts` has a fast estimate.
 */

let loading: Promise<(text: string) => number> | undefined;

/**
 * Resolves with a function that counts the tokens of a text. Special tokens in it are counted as plain text.
 */
export function tokenCounter(): Promise<(text: string) => number> {
  loading ??= import('gpt-tokenizer/encoding/o200k_base').then(({ countTokens }) => {
    const options = { disallowedSpecial: new Set<string>() };
    return (text) => countTokens(text, options);
  });
  return loading;
}
