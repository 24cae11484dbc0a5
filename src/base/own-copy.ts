/**
 * A copy of the text for what stays in memory for long: V8 makes a part of a text as a reference to it, so
 * that a title would keep a whole message. The text must be well-formed.
 */
export const ownCopy = (text: string): string => Buffer.from(text).toString();
