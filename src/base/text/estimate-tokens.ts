/**
 * Estimates the number of tokens of a text, for budgets. It uses no tokenizer, because that of one model is
 * large and not exact for other models.
 */

const ASCII_PER_TOKEN = 4;

/**
 * Returns one token for four ASCII characters, and one token for each other UTF-16 code unit. The error is at
 * most about a third for English; for other scripts the estimate is too high.
 */
export function estimateTextTokens(text: string): number {
  let others = 0;
  for (let index = 0; index < text.length; index += 1) {
    if (text.charCodeAt(index) > 0x7f) others += 1;
  }
  return Math.ceil((text.length - others) / ASCII_PER_TOKEN) + others;
}

/**
 * Returns the end of the longest part of `text` from `from` that has at most `tokens` tokens as a JSON
 * string. The part has at least one character, and does not end inside a surrogate pair.
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

/** Returns the cost of a character in a JSON string, in ASCII characters. */
function costOf(character: number): number {
  if (character > 0xffff) return 2 * ASCII_PER_TOKEN;
  if (character > 0x7f) return (character & 0xf800) === 0xd800 ? 6 : ASCII_PER_TOKEN;
  if (character < 0x20) return 6;
  return character === 0x22 || character === 0x5c ? 2 : 1;
}
