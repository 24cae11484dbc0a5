/**
 * An estimate of what a text costs a language model, for budgets. No model's own tokenizer is near
 * enough to all others to be worth its megabytes; this errs on the high side for prose and JSON.
 */

/** English prose and JSON have three to four and a half ASCII characters a token. */
const ASCII_PER_TOKEN = 4;
/** Cyrillic, Arabic, accented letters: about two characters a token; CJK and symbols: about one. */
const LAST_ALPHABETIC = 0x2000;

/** Four ASCII characters, two of other alphabets, or one of anything else make a token. */
export function estimateTokens(text: string): number {
  let quarters = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) quarters += 1;
    else quarters += unit < LAST_ALPHABETIC ? 2 : ASCII_PER_TOKEN;
  }
  return Math.ceil(quarters / ASCII_PER_TOKEN);
}
