/** Shortens texts for answers, finds blank texts, escapes characters, and writes a number before a noun. */
import { defined } from '../json.js';

const LONGEST_TEXT = 200;

/**
 * For titles, modules and tags, because a very long one would fill a whole answer. Returns the text, or its
 * first 200 code units and an ellipsis. A surrogate pair is not divided.
 */
export function shortened(text: string): string {
  if (text.length <= LONGEST_TEXT) return text;
  const isDivided = (text.codePointAt(LONGEST_TEXT - 1) ?? 0) > 0xffff;
  return `${text.slice(0, isDivided ? LONGEST_TEXT - 1 : LONGEST_TEXT).toWellFormed()}…`;
}

interface Names {
  readonly title?: string | undefined;
  readonly module?: string | undefined;
}

/** The title and the module of a conversation, if it has them, `shortened`. */
export const shownNames = ({ title, module }: Names) =>
  defined({ title: title && shortened(title), module: module && shortened(module) });

/** `1 file`, `2 files`. `plural`: where it is not the noun with an s, or where a verb follows. */
export const countOf = (count: number, noun: string, plural = `${noun}s`): string =>
  `${count} ${count === 1 ? noun : plural}`;

/** Whether the text is not only white space. */
export const hasText = (text: string): boolean => text.trim() !== '';

/** C0 and C1 controls, direction marks, and line separators of some terminals. */
export const CONTROLS = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** `\uXXXX` for a code unit. */
export const unicodeEscape = (unit: string): string =>
  `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
