/**
 * Cuts what somebody said into sentences, in any script. What they did not say themselves is left
 * out: code, quoted lines, and the marks of lists and headings.
 */
import { segmentsOf } from '../base/segments.js';

const FENCE = /^\s*(```|~~~)/;
const QUOTED_LINE = /^\s*>/;
const LINE_MARKS = /^\s*(?:#{1,6}\s+|(?:[-*+•]|\d{1,3}[.)])\s+)/;
const HAS_LETTER = /\p{L}/u;
/** A sentence that is shown stays short; what it came from can be read by its message's id. */
const LONGEST_SENTENCE = 400;
/** A pasted book must not hold up the server, to whom one message is one step. */
const MOST_READ = 100_000;

/** Trimmed sentences that have a letter, in order; longer ones than 400 characters are left out. */
export function sentencesOf(content: string): string[] {
  return proseLines(content).flatMap((line) =>
    [...segmentsOf('sentence', line.replace(LINE_MARKS, ''))]
      .map(({ segment }) => segment.trim())
      .filter((text) => HAS_LETTER.test(text) && text.length <= LONGEST_SENTENCE),
  );
}

/** The lines that the speaker wrote as prose, of the first 100 000 characters. */
export function proseLines(content: string): string[] {
  let isCode = false;
  return content
    .slice(0, MOST_READ)
    .split(/\r?\n/)
    .filter((line) => {
      if (FENCE.test(line)) {
        isCode = !isCode;
        return false;
      }
      return !isCode && !QUOTED_LINE.test(line);
    });
}
