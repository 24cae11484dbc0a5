/**
 * Splits a message into sentences, in any script. Text that its author did not write is left
 * out: code, quoted lines, and the marks of lists and headings.
 */
import { segmentsOf } from '../base/segments.js';

const FENCE = /^\s*(```|~~~)/;
const QUOTED_LINE = /^\s*>/;
const LINE_MARKS = /^\s*(?:#{1,6}\s+|(?:[-*+•]|\d{1,3}[.)])\s+)/;
const HAS_LETTER = /\p{L}/u;
const ENDS_IN_ORDINAL = /(?<![\p{L}\p{N}.,])\d{1,2}\.$/u;
const STARTS_AS_WORD = /^\p{L}/u;
/** A sentence that is shown stays short; what it came from can be read by its message's id. */
const LONGEST_SENTENCE = 400;
/** A pasted book must not hold up the server, to whom one message is one step. */
const MOST_READ = 100_000;

/** Trimmed sentences that have a letter, in order; longer ones than 400 characters are left out. */
export function sentencesOf(content: string): string[] {
  return proseLines(content).flatMap((line) =>
    sentencesOfLine(line.replace(LINE_MARKS, '')).filter(
      (text) => HAS_LETTER.test(text) && text.length <= LONGEST_SENTENCE,
    ),
  );
}

/** A full stop after a day or an ordinal ("31. März") ends no sentence where a word follows. */
function sentencesOfLine(line: string): string[] {
  const sentences: string[] = [];
  for (const { segment } of segmentsOf('sentence', line)) {
    const last = sentences.at(-1);
    if (last !== undefined && ENDS_IN_ORDINAL.test(last) && STARTS_AS_WORD.test(segment)) {
      sentences[sentences.length - 1] = `${last} ${segment.trim()}`;
    } else sentences.push(segment.trim());
  }
  return sentences;
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
