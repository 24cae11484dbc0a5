/**
 * Cuts what somebody said into sentences, in any script. What they did not say themselves is left
 * out: code, quoted lines, and the marks of lists and headings.
 */

const FENCE = /^\s*(```|~~~)/;
const QUOTED_LINE = /^\s*>/;
const LINE_MARKS = /^\s*(?:#{1,6}\s+|(?:[-*+•]|\d{1,3}[.)])\s+)/;
const HAS_LETTER = /\p{L}/u;
/** A sentence that is shown stays short; what it came from can be read by its message's id. */
const LONGEST_SENTENCE = 400;

/** Made at the first use: loading its data would delay the start of every server. */
let segmenter: Intl.Segmenter | undefined;

/** Trimmed sentences that have a letter, in order; longer ones than 400 characters are left out. */
export function sentencesOf(content: string): string[] {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'sentence' });
  const cutter = segmenter;
  return proseLines(content).flatMap((line) =>
    [...cutter.segment(line.replace(LINE_MARKS, ''))]
      .map(({ segment }) => segment.trim())
      .filter((text) => HAS_LETTER.test(text) && text.length <= LONGEST_SENTENCE),
  );
}

/** The lines that the speaker wrote as prose. */
export function proseLines(content: string): string[] {
  let isCode = false;
  return content.split(/\r?\n/).filter((line) => {
    if (FENCE.test(line)) {
      isCode = !isCode;
      return false;
    }
    return !isCode && !QUOTED_LINE.test(line);
  });
}
