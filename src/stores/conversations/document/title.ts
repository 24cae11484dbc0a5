/**
 * Derives the title of a conversation that was given none: the first sentence of its user, short enough
 * for a list. A title has whole words, also in scripts without spaces, and never a part of a character.
 */
import { ownCopy } from '../../../base/own-copy.js';
import { segmentsOf } from '../../../base/segments.js';

/** Fits one line of a list. */
const MAX_LENGTH = 80;
/** Longest first sentence that is used as a title. */
const MOST_READ = 1000;

/** What makes a line a heading, a quotation, a list item or a code block in markdown. */
const MARKDOWN_START = /^(?:[#>*+\-\s]+|`{3}\w*)+/;

/** `undefined` where the text has no letter or digit to make a title of. */
export function titleOf(content: string): string | undefined {
  const lines = content.slice(0, MOST_READ).toWellFormed().split(/\r?\n/);
  const line = lines
    .map((text) => plain(text.replace(MARKDOWN_START, '')))
    .find((text) => /[\p{L}\p{N}]/u.test(text));
  if (line === undefined) return undefined;
  const sentence = firstSentence(line)
    .trim()
    .replace(/(?<![.。])[.。]$/u, '');
  return ownCopy(shortened(sentence));
}

/** A line of signs on a typewriter, none of which ends a sentence: a point before a small letter or a digit does not. */
const ONE_SENTENCE = /^(?:[ "-\-/->@-~]|\.(?=[a-z0-9]))*$/;
/** What is cut off a longer sentence does not depend on where it ends. */
const SURELY_CUT = MAX_LENGTH + 20;

function firstSentence(line: string): string {
  if (ONE_SENTENCE.test(line.slice(0, SURELY_CUT))) return line;
  const [first] = segmentsOf('sentence', line);
  return first?.segment ?? line;
}

/** One word after a space, at which no title can be cut. */
const PLAIN_WORD = /^ [A-Za-z0-9]+(?: |$)/;

/** Whether the title can be made from this text; for every file that is read, so much cheaper. */
export function isTitleOf(content: string, title: string): boolean {
  const text = plain(content.slice(0, MOST_READ).toWellFormed());
  return text.includes(title.replace(/…$/, ''));
}

/** One line without control characters. */
const plain = (text: string) => text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();

function shortened(sentence: string): string {
  if (sentence.length <= MAX_LENGTH) return sentence;
  // Segments end before each space, so those before the last one that fits need not be found.
  let end = Math.max(0, sentence.lastIndexOf(' ', MAX_LENGTH - 1));
  const rest = PLAIN_WORD.test(sentence.slice(end)) ? [] : segmentsOf('word', sentence.slice(end));
  for (const { segment } of rest) {
    if (end + segment.length >= MAX_LENGTH) break;
    end += segment.length;
  }
  // One word as long as that, such as an address: cut between characters.
  const start = end > 0 ? sentence.slice(0, end) : [...sentence].slice(0, MAX_LENGTH / 2).join('');
  return `${start.trimEnd()}…`;
}
