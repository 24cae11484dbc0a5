/** Cuts the part of a message with the most words of the question, and marks them in any form. */
import { languageOf } from './languages.js';
import { type Question, wordsByTerm } from './question/question.js';
import type { Vocabulary } from './vocabulary.js';
import { stemOf } from './words/stemming.js';
import { scanWords } from './words/words.js';

export interface SnippetStyle {
  /** Text before and after a word of the question. */
  readonly open: string;
  readonly close: string;
  readonly ellipsis: string;
  /** Length of the snippet, in words. */
  readonly words: number;
}

interface Word {
  readonly start: number;
  readonly end: number;
  /** Index of the word in the question, if the question has it. */
  readonly asked: number | undefined;
}

/** `range`: the passage that matched, in UTF-16 offsets. */
export function cutRecallSnippet(
  text: string,
  range: { readonly start: number; readonly end: number },
  question: Question,
  vocabulary: Vocabulary,
  style: SnippetStyle,
): string {
  const passage = text.slice(range.start, range.end);
  const words = askedWords(passage, question, vocabulary);
  const first = bestWindow(words, style.words);
  const last = Math.min(words.length, first + style.words) - 1;
  const from = first === 0 ? 0 : (words[first]?.start ?? 0);
  const to = last + 1 >= words.length ? passage.length : (words[last]?.end ?? passage.length);
  let cut = '';
  let copied = from;
  for (const { start, end } of markedSpans(words.slice(first, last + 1))) {
    cut += `${passage.slice(copied, start)}${style.open}${passage.slice(start, end)}${style.close}`;
    copied = end;
  }
  cut += passage.slice(copied, to);
  const isBegun = range.start + from > 0;
  const goesOn = range.start + to < text.length;
  return `${isBegun ? style.ellipsis : ''}${cut.trim()}${goesOn ? style.ellipsis : ''}`;
}

/** Where words of the question are. CJK words are overlapping pairs of characters, so those are joined. */
function markedSpans(words: readonly Word[]): { start: number; end: number }[] {
  const spans: { start: number; end: number }[] = [];
  for (const { start, end, asked } of words) {
    if (asked === undefined) continue;
    const before = spans.at(-1);
    if (before !== undefined && start < before.end) before.end = Math.max(before.end, end);
    else spans.push({ start, end });
  }
  return spans;
}

/** The words of a text, each with its index in the question. */
function askedWords(text: string, question: Question, vocabulary: Vocabulary): Word[] {
  const byTerm = wordsByTerm(question);
  const found: { word: string; start: number; end: number }[] = [];
  scanWords(text, (word, start, end) => found.push({ word, start, end }));
  const words = found.map(({ word }) => word);
  const language = languageOf(words, 0);
  return found.map(({ word, start, end }) => {
    const stem = stemOf(word, language);
    const term = stem === undefined ? undefined : vocabulary.find(stem);
    return { start, end, asked: term === undefined ? undefined : byTerm.get(term) };
  });
}

/** Index of the first word of the window that has the most different words of the question. */
function bestWindow(words: readonly Word[], size: number): number {
  const counts = new Map<number, number>();
  let first = 0;
  let last = -1;
  let most = 0;
  const add = (word: Word | undefined, step: number) => {
    if (word?.asked === undefined) return;
    const count = (counts.get(word.asked) ?? 0) + step;
    if (count === 0) counts.delete(word.asked);
    else counts.set(word.asked, count);
  };
  words.forEach((word, at) => {
    add(word, 1);
    if (at >= size) add(words[at - size], -1);
    if (counts.size <= most) return;
    most = counts.size;
    last = at;
    first = Math.max(0, at - size + 1);
  });
  while (first < last && words[first]?.asked === undefined) first += 1;
  // The words of the question are in the middle, because the answer can be before or after them.
  const before = Math.floor((size - (last - first + 1)) / 2);
  return Math.max(0, Math.min(first - before, words.length - size));
}
