/**
 * FTS5's snippet() and highlight(), with the same choices: the window with the most different phrases,
 * windows at the start of a sentence preferred, one pair of marks around overlapping instances. The
 * index has the tokens to mark; the text is read only for the offsets of its words.
 */
import type { PhraseInstance } from '../matching/segment-query.js';
import { WordOffsets } from '../tokenizing/tokenizer.js';
import { type Marks, markRanges, mergeRanges, type Range } from './highlight.js';
import { WindowScorer } from './window-score.js';

export interface SnippetOptions extends Marks {
  /** `...` unless given. */
  readonly ellipsis?: string;
  /** Size of the window in tokens, 32 unless given. */
  readonly tokens?: number;
}

/** The text of one column of a document. */
export interface ColumnText {
  readonly column: number;
  readonly text: string;
}

/** FTS5's bonus for a window at the start of a sentence, and at the start of the text. */
const SENTENCE_BONUS = 100;
const TEXT_BONUS = 120;
/** Tab, line feed, carriage return, space. */
const isSpace = (code: number) => code === 0x20 || code === 0x0a || code === 0x09 || code === 0x0d;

/** Used again for every snippet: one for each of the texts that are compared. */
const OFFSETS: WordOffsets[] = [];

function offsetsOf(text: string, source = 0): WordOffsets {
  OFFSETS[source] ??= new WordOffsets();
  return OFFSETS[source].read(text);
}

interface Window {
  readonly column: number;
  readonly tokens: WordOffsets;
  readonly start: number;
  readonly score: number;
}

/** Whether a token is the first of the text, or follows a full stop or colon and space. */
function beginsSentence(tokens: WordOffsets, token: number): boolean {
  if (token === 0) return true;
  const { text } = tokens;
  const before = (tokens.start(token) ?? 0) - 1;
  let at = before;
  while (at >= 0 && isSpace(text.charCodeAt(at))) at--;
  return at !== before && (text[at] === '.' || text[at] === ':');
}

/**
 * Finds the first token of the sentence of a token, for tokens in ascending order. It searches backwards
 * only to the last token, so that the time is linear even if the word occurs everywhere in a long text.
 */
function sentenceFinder(tokens: WordOffsets): (token: number) => number {
  let before = { token: 0, sentence: 0 };
  return (token) => {
    let first = token;
    while (first > before.token && !beginsSentence(tokens, first)) first--;
    before = { token, sentence: first > before.token ? first : before.sentence };
    return before.sentence;
  };
}

/** The start of a window with its instances in the middle, within the text. */
function centred(first: number, end: number, size: number, tokens: WordOffsets): number {
  const start = first - Math.trunc((size - (end - first)) / 2);
  return Math.max(0, tokens.has(start + size - 1) ? start : tokens.count - size);
}

/** The windows that FTS5 compares for one column, in its order. */
function* windowsOf(
  column: number,
  tokens: WordOffsets,
  instances: readonly PhraseInstance[],
  size: number,
): Generator<Window> {
  const sentenceOf = sentenceFinder(tokens);
  const atInstance = new WindowScorer(instances, size);
  const atSentence = new WindowScorer(instances, size);
  for (const { offset } of instances) {
    const { score, first, end } = atInstance.scoreAt(offset);
    yield { column, tokens, start: centred(first, end, size, tokens), score };
    if (!tokens.has(size)) continue;
    const sentence = sentenceOf(offset);
    if (sentence >= offset) continue;
    const bonus = sentence === 0 ? TEXT_BONUS : SENTENCE_BONUS;
    const { score: sentenceScore } = atSentence.scoreAt(sentence);
    yield { column, tokens, start: sentence, score: sentenceScore + bonus };
  }
}

function bestWindow(
  sources: readonly ColumnText[],
  instances: readonly PhraseInstance[],
  size: number,
): Window | undefined {
  let best: Window | undefined;
  sources.forEach(({ column, text }, i) => {
    const tokens = offsetsOf(text, i);
    best ??= { column, tokens, start: 0, score: 0 };
    const own = instances.filter((instance) => instance.column === column);
    for (const window of windowsOf(column, tokens, own, size))
      if (window.score > best.score) best = window;
  });
  return best;
}

/** The tokens to mark. Instances that share tokens become one range. `to` is exclusive. */
function tokenRanges(instances: readonly PhraseInstance[], column: number): Range[] {
  const ranges: Range[] = [];
  for (const { column: own, offset, length } of instances)
    if (own === column) ranges.push({ from: offset, to: offset + length });
  return mergeRanges(ranges, false);
}

/** The offsets in the text of the ranges that begin between the tokens `first` and `last`. */
function textRanges(
  tokens: WordOffsets,
  ranges: readonly Range[],
  first: number,
  last: number,
): Range[] {
  const { length } = tokens.text;
  const found: Range[] = [];
  for (const { from, to } of ranges) {
    if (from < first) continue;
    if (from > last) break;
    const end = tokens.end(Math.min(to - 1, last)) ?? length;
    found.push({ from: tokens.start(from) ?? length, to: end });
  }
  return found;
}

/** FTS5's snippet() of one column, or of the best of several. */
export function cutSnippet(
  sources: readonly ColumnText[],
  instances: readonly PhraseInstance[],
  options: SnippetOptions,
): string {
  const { ellipsis = '...', tokens: size = 32 } = options;
  const window = bestWindow(sources, instances, size);
  if (window === undefined) return '';
  const { column, tokens, start } = window;
  const last = start + size - 1;
  const ranges = textRanges(tokens, tokenRanges(instances, column), start, last);
  const from = start === 0 ? 0 : (tokens.start(start) ?? 0);
  const hasMore = tokens.has(last + 1);
  const end = hasMore ? (tokens.end(last) ?? 0) : tokens.text.length;
  const marked = markRanges(tokens.text, ranges, { from, to: end }, options);
  return (start > 0 ? ellipsis : '') + marked + (hasMore ? ellipsis : '');
}

/** FTS5's highlight(). */
export function highlightText(
  { column, text }: ColumnText,
  instances: readonly PhraseInstance[],
  marks: Marks,
): string {
  const tokens = offsetsOf(text);
  const ranges = textRanges(tokens, tokenRanges(instances, column), 0, tokens.count);
  return markRanges(text, ranges, { from: 0, to: text.length }, marks);
}
