/**
 * Splits a message into sentences, in any script. It leaves out code and quoted lines, which the author did
 * not write, and the marks of lists and headings.
 */
import { sentencesIn } from '../base/text/text-segmenter.js';

const FENCE = /^\s*(```|~~~)/;
const QUOTED_LINE = /^\s*>/;
/** A row of a table means little without the others. */
const TABLE_ROW = /^\s*\|.*\|\s*$/;
const LINE_MARKS = /^\s*(?:#{1,6}\s+|(?:[-*+•]|\d{1,3}[.)])\s+)/;
const HAS_LETTER = /\p{L}/u;
/** Longer sentences are left out, because answers must stay short. The whole message can be read by its id. */
export const MAX_SENTENCE_LENGTH = 400;
/** Limits the time for one message, because the server is blocked in the meantime. */
export const MAX_CHARACTERS = 100_000;

/** Trimmed sentences with at least one letter, in order, without those of more than 400 characters. */
export function sentencesOf(content: string): string[] {
  return proseLines(content)
    .filter((line) => !TABLE_ROW.test(line))
    .flatMap((line) => [...sentencesIn(line.replace(LINE_MARKS, ''))])
    .map((text) => text.trim())
    .filter((text) => HAS_LETTER.test(text) && text.length <= MAX_SENTENCE_LENGTH);
}

/** The lines of prose in the first 100 000 characters, without code and quotations. */
export function proseLines(content: string): string[] {
  let isCode = false;
  return content
    .slice(0, MAX_CHARACTERS)
    .split(/\r?\n/)
    .filter((line) => {
      if (FENCE.test(line)) {
        isCode = !isCode;
        return false;
      }
      return !isCode && !QUOTED_LINE.test(line);
    });
}
