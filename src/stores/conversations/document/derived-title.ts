/**
 * Derives a title from the first sentence of a user's message, short enough for one line of a list. A title
 * ends after a whole word, also in scripts without spaces, and never inside a character. A title that a caller
 * gives has another limit, in tools/fields/conversation-input.ts.
 */

import { ownCopy } from '../../../base/text/own-copy.js';
import { segmentsOf, sentencesIn } from '../../../base/text/text-segmenter.js';

/** The maximum length of a derived title, in UTF-16 code units. */
const MAX_LENGTH = 80;
/** The number of code units of a message that are searched for its first sentence. */
const MAX_READ = 1000;

/** The start of a heading, a quotation, a list item or a code block in Markdown. */
const MARKDOWN_START = /^(?:[#>*+\-\s]+|`{3}\w*)+/;

/** Returns the title; `undefined` if the text has no letter and no digit. */
export function titleOf(content: string): string | undefined {
  const lines = content.slice(0, MAX_READ).toWellFormed().split(/\r?\n/);
  const line = lines
    .map((text) => plain(text.replace(MARKDOWN_START, '')))
    .find((text) => /[\p{L}\p{N}]/u.test(text));
  if (line === undefined) return undefined;
  const sentence = firstSentence(line)
    .trim()
    .replace(/(?<![.。])[.。]$/u, '');
  return ownCopy(shortened(sentence));
}

/** Whether the text is only a command for a program, such as `/clear`, which says nothing about a subject. */
export const isCommand = (content: string) => /^\s*\/[\w:.-]{1,60}\s*$/.test(content);

/**
 * ASCII text without the end of a sentence. A mark before a letter or a digit, as in an address, does not end a
 * sentence (see `sentencesIn`). Such a line needs no sentence segmentation.
 */
const ONE_SENTENCE = /^(?:[ "-\-/->@-~]|[.!?](?=[A-Za-z0-9]))*$/;
/** A sentence of this length is shortened, so its end need not be known. */
const ALWAYS_SHORTENED = MAX_LENGTH + 20;

function firstSentence(line: string): string {
  if (ONE_SENTENCE.test(line.slice(0, ALWAYS_SHORTENED))) return line;
  const [first = line] = sentencesIn(line);
  return first;
}

/** One ASCII word after a space. It needs no word segmentation, because it cannot be divided. */
const PLAIN_WORD = /^ [A-Za-z0-9]+(?: |$)/;

/**
 * Whether the title may be derived from this text. It is faster than `titleOf`, because every read calls it.
 */
export function isTitleOf(content: string, title: string): boolean {
  const text = plain(content.slice(0, MAX_READ).toWellFormed());
  return text.includes(title.replace(/…$/, ''));
}

/** What is replaced by a space; not single spaces, which are most of the white space. */
const WHITE_SPACE = /[\p{Cc}\s]{2,}|[^\S ]|\p{Cc}/gu;

/** Returns the text as one line without control characters. */
const plain = (text: string) => text.replace(WHITE_SPACE, ' ').trim();

function shortened(sentence: string): string {
  if (sentence.length <= MAX_LENGTH) return sentence;
  // A word ends before each space, so only the text after the last space that fits is segmented.
  let end = Math.max(0, sentence.lastIndexOf(' ', MAX_LENGTH - 1));
  const rest = PLAIN_WORD.test(sentence.slice(end)) ? [] : segmentsOf('word', sentence.slice(end));
  for (const { segment } of rest) {
    if (end + segment.length >= MAX_LENGTH) break;
    end += segment.length;
  }
  // A single longer word, such as a URL, is cut between two characters.
  const start = end > 0 ? sentence.slice(0, end) : [...sentence].slice(0, MAX_LENGTH / 2).join('');
  return `${start.trimEnd()}…`;
}
