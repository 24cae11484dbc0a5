/**
 * Copies a text that stays in memory for long. V8 makes a part of a text as a reference to the whole, so that
 * a title would keep a whole message in memory. UTF-8 would change an unpaired surrogate: such a text is
 * returned as it is.
 */
export const ownCopy = (text: string): string =>
  text.isWellFormed() ? Buffer.from(text).toString() : text;
