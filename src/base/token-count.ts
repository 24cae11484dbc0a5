/**
 * Counts tokens with the tokenizer of o200k, for answers that promise never to pass a budget. It is
 * loaded at the first use: its table has 200 000 entries. For everything else `tokens.ts` estimates.
 */

let loading: Promise<(text: string) => number> | undefined;

/** Resolves with a function that counts exactly; text that looks like a special token is plain text. */
export function tokenCounter(): Promise<(text: string) => number> {
  loading ??= import('gpt-tokenizer/encoding/o200k_base').then(({ countTokens }) => {
    const options = { disallowedSpecial: new Set<string>() };
    return (text) => countTokens(text, options);
  });
  return loading;
}
