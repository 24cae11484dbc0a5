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

/**
 * Where a part of `text` that begins at `from` and costs `tokens` at most, as JSON, has to end: one
 * character further at least, and never between the halves of a surrogate pair.
 */
export function endWithin(text: string, from: number, tokens: number): number {
  let room = tokens * ASCII_PER_TOKEN;
  let end = from;
  while (end < text.length) {
    const character = text.codePointAt(end) ?? 0;
    const length = character > 0xffff ? 2 : 1;
    room -= costOf(character);
    if (room < 0 && end > from) break;
    end += length;
  }
  return end;
}

/** In characters of ASCII. */
function costOf(character: number): number {
  if (character > 0xffff) return 2 * ASCII_PER_TOKEN;
  if (character > 0x7f) return (character & 0xf800) === 0xd800 ? 6 : ASCII_PER_TOKEN;
  if (character < 0x20) return 6;
  return character === 0x22 || character === 0x5c ? 2 : 1;
}
