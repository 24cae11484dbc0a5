/**
 * Splits a message into sentences, in any script. It leaves out code and quoted lines, which the author did
 * not write, and the marks of lists and headings.
 */
import { segmentsOf } from '../base/text-segmenter.js';

const FENCE = /^\s*(```|~~~)/;
const QUOTED_LINE = /^\s*>/;
/** A row of a table means little without the others. */
const TABLE_ROW = /^\s*\|.*\|\s*$/;
const LINE_MARKS = /^\s*(?:#{1,6}\s+|(?:[-*+•]|\d{1,3}[.)])\s+)/;
const HAS_LETTER = /\p{L}/u;
/** Titles before names, in the languages of Europe; "M." is the French one. */
const ENDS_IN_TITLE =
  /(?<![\p{L}\p{N}])(?:Dr|Dra|Prof|Mr|Mrs|Ms|Mx|St|Hr|Fr|M|MM|Mme|Mlle|Sr|Sra|Srta|Sig|Dott|Ing|Dipl|dhr|mevr|Nr)\.$/u;
const ENDS_IN_ORDINAL = /(?<![\p{L}\p{N}.,])\d{1,2}\.$/u;
/** After an ordinal: a word in lower case, or a month of a language that writes "31. März". */
const CONTINUES_ORDINAL =
  /^(?:\p{Ll}|(?:Januar|Jänner|Februar|Feber|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember)(?!\p{L})|(?:Jan|Feb|Mär|Apr|Jun|Jul|Aug|Sept?|Okt|Nov|Dez)\.)/u;
/** Longer sentences are left out, because answers must stay short. The whole message can be read by its id. */
export const MAX_SENTENCE_LENGTH = 400;
/** Limits the time for one message, because the server is blocked in the meantime. */
const MAX_CHARACTERS = 100_000;

/** Trimmed sentences with at least one letter, in order, without those of more than 400 characters. */
export function sentencesOf(content: string): string[] {
  return proseLines(content)
    .filter((line) => !TABLE_ROW.test(line))
    .flatMap((line) => sentencesOfLine(line.replace(LINE_MARKS, '')))
    .filter((text) => HAS_LETTER.test(text) && text.length <= MAX_SENTENCE_LENGTH);
}

/**
 * A full stop after a number of one or two digits does not end a sentence before a month ("31. März") or a
 * word in lower case ("3. kvartal"). Before another word it does ("We use Node 22. Is that all right?"). One
 * after a title ("Dr. Okafor") does not.
 */
function sentencesOfLine(line: string): string[] {
  const sentences: string[] = [];
  for (const { segment } of segmentsOf('sentence', line)) {
    const last = sentences.at(-1);
    const continues =
      last !== undefined &&
      (ENDS_IN_TITLE.test(last) || (ENDS_IN_ORDINAL.test(last) && CONTINUES_ORDINAL.test(segment)));
    if (continues) {
      sentences[sentences.length - 1] = `${last} ${segment.trim()}`;
    } else sentences.push(segment.trim());
  }
  return sentences;
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
