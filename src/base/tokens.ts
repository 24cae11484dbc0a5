/**
 * An estimate of what a text costs a language model, for budgets. No model's own tokenizer is near
 * enough to all others to be worth its megabytes.
 */

const ASCII_PER_TOKEN = 4;

/**
 * Four characters of ASCII to a token, and one token for any other UTF-16 unit: within about a third
 * for English, on the safe side for other scripts.
 */
export function estimateTextTokens(text: string): number {
  let others = 0;
  for (let index = 0; index < text.length; index += 1) {
    if (text.charCodeAt(index) > 0x7f) others += 1;
  }
  return Math.ceil((text.length - others) / ASCII_PER_TOKEN) + others;
}
