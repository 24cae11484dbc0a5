/**
 * A lower bound of the tokens that any tokenizer makes of a text. If a server has counted fewer, it has
 * dropped a part of the request without an error, as local servers do.
 */

const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;
const LETTERS =
  /(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}])\p{L})+/gu;
const DIGITS = /\d+/g;
const TOKENS_PER_CJK = 0.5;
const DIGITS_PER_TOKEN = 3;
/** Some vocabularies have tokens of two words. */
const TOLERANCE = 0.9;

/** At least one token for each word and for every three digits, and half a token for each CJK character. */
export function minTokens(text: string): number {
  const words = text.match(LETTERS)?.length ?? 0;
  const signs = text.match(CJK)?.length ?? 0;
  const digits = (text.match(DIGITS) ?? []).reduce(
    (sum, { length }) => sum + Math.ceil(length / DIGITS_PER_TOKEN),
    0,
  );
  return words + digits + signs * TOKENS_PER_CJK;
}

/** True if a server that counted `promptTokens` cannot have read the whole text. */
export function isTruncated(text: string, promptTokens: number | undefined): boolean {
  // Some servers report 0 if the whole request was in their cache.
  if (promptTokens === undefined || promptTokens === 0) return false;
  return promptTokens < minTokens(text) * TOLERANCE;
}
