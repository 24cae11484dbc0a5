/**
 * The fewest tokens that any tokenizer of a language model makes of a text, for noticing that a server
 * counted fewer: then it dropped a part of the request without an error, as local servers do.
 */

const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;
const LETTERS =
  /(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}])\p{L})+/gu;
const DIGITS = /\d+/g;
const TOKENS_PER_CJK = 0.5;
const DIGITS_PER_TOKEN = 3;
/** Room for words that a vocabulary holds two at a time. */
const TOLERANCE = 0.9;

/** A word is a token at least, and so are three digits; CJK signs come in pairs at best. */
export function leastTokens(text: string): number {
  const words = text.match(LETTERS)?.length ?? 0;
  const signs = text.match(CJK)?.length ?? 0;
  const digits = (text.match(DIGITS) ?? []).reduce(
    (sum, { length }) => sum + Math.ceil(length / DIGITS_PER_TOKEN),
    0,
  );
  return words + digits + signs * TOKENS_PER_CJK;
}

/** Whether a server that counted `promptTokens` cannot have read all of `text`. */
export function isTruncated(text: string, promptTokens: number | undefined): boolean {
  // Some servers say 0 where all of it was in their cache.
  if (promptTokens === undefined || promptTokens === 0) return false;
  return promptTokens < leastTokens(text) * TOLERANCE;
}
