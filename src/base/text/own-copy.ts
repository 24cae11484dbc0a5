/**
 * Copies a part of a text that stays in memory for long. V8 stores a part as a reference to the whole text, so
 * a title without its own copy would keep its whole message in memory.
 */

/** V8 copies the characters of a shorter part of a text (`SlicedString::kMinLength`). */
const MIN_SHARED = 13;

/** A text with an unpaired surrogate is returned as it is, because the copy through UTF-8 would change it. */
export const ownCopy = (text: string): string =>
  text.length < MIN_SHARED || !text.isWellFormed() ? text : Buffer.from(text).toString();
