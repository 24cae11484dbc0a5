/**
 * FTS5's snippet() and highlight(), choice for choice: the window with the most different phrases,
 * one at the start of a sentence preferred, overlapping instances under one pair of marks. Only the
 * offsets of tokens are needed from the text; which tokens to mark comes from the index.
 */
import type { Instance } from './segment-query.js';
import { WordOffsets } from './tokenizer.js';

export interface Marks {
  /** `<mark>` unless given. */
  readonly open?: string;
  /** `</mark>` unless given. */
  readonly close?: string;
}

export interface SnippetOptions extends Marks {
  /** `...` unless given. */
  readonly ellipsis?: string;
  /** Tokens of the window, 32 unless given. */
  readonly tokens?: number;
}

/** The text of one column of a document. */
export interface ColumnText {
  readonly column: number;
  readonly text: string;
}

/** What FTS5 adds for a window that begins a sentence, and one that begins the text. */
const SENTENCE_BONUS = 100;
const TEXT_BONUS = 120;
const NEW_PHRASE = 1000;
/** Tab, line feed, carriage return, space. */
const isSpace = (code: number) => code === 0x20 || code === 0x0a || code === 0x09 || code === 0x0d;

/** Made once, for snippets are cut by the dozen: one for each text that is weighed at the same time. */
const OFFSETS: WordOffsets[] = [];

function offsetsOf(text: string, place = 0): WordOffsets {
  OFFSETS[place] ??= new WordOffsets();
  return OFFSETS[place].read(text);
}

interface Window {
  readonly column: number;
  readonly tokens: WordOffsets;
  readonly start: number;
  readonly score: number;
}

interface Range {
  readonly first: number;
  readonly last: number;
}

/** Whether a token stands first in the text, or after a full stop or colon and some space. */
function beginsSentence(tokens: WordOffsets, token: number): boolean {
  if (token === 0) return true;
  const { text } = tokens;
  const before = (tokens.start(token) ?? 0) - 1;
  let at = before;
  while (at >= 0 && isSpace(text.charCodeAt(at))) at--;
  return at !== before && (text[at] === '.' || text[at] === ':');
}

/**
 * Gives the first token of the sentence that a token is in, for tokens in rising order: each goes
 * back no further than to the one before, or a word that fills a long text would cost its square.
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

/** The first of the instances that begins at `token` or after it. */
function firstFrom(instances: readonly Instance[], token: number): number {
  let low = 0;
  let high = instances.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((instances[middle]?.offset ?? 0) < token) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The score of the window at `start`, and where its first and last instance are. Sorted by offset. */
function scoreWindow(instances: readonly Instance[], start: number, size: number) {
  const seen = new Set<number>();
  let score = 0;
  let first = -1;
  let end = 0;
  for (let at = firstFrom(instances, start); at < instances.length; at++) {
    const { phrase, offset, length } = instances[at] as Instance;
    if (offset >= start + size) break;
    score += seen.has(phrase) ? 1 : NEW_PHRASE;
    seen.add(phrase);
    if (first < 0) first = offset;
    end = offset + length;
  }
  return { score, first, end };
}

/** A window moved so that its instances stand in its middle, within the text. */
function centred(first: number, end: number, size: number, tokens: WordOffsets): number {
  const start = first - Math.trunc((size - (end - first)) / 2);
  return Math.max(0, tokens.has(start + size - 1) ? start : tokens.count - size);
}

/** The windows FTS5 weighs for one column, in its order. */
function* windowsOf(
  column: number,
  tokens: WordOffsets,
  instances: readonly Instance[],
  size: number,
): Generator<Window> {
  const sentenceOf = sentenceFinder(tokens);
  for (const { offset } of instances) {
    const { score, first, end } = scoreWindow(instances, offset, size);
    yield { column, tokens, start: centred(first, end, size, tokens), score };
    if (!tokens.has(size)) continue;
    const sentence = sentenceOf(offset);
    if (sentence >= offset) continue;
    const bonus = sentence === 0 ? TEXT_BONUS : SENTENCE_BONUS;
    const { score: atSentence } = scoreWindow(instances, sentence, size);
    yield { column, tokens, start: sentence, score: atSentence + bonus };
  }
}

function bestWindow(
  sources: readonly ColumnText[],
  instances: readonly Instance[],
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

/** Instances that share tokens come under one pair of marks. */
function coalesced(instances: readonly Instance[]): Range[] {
  const ranges: { first: number; last: number }[] = [];
  for (const { offset, length } of instances) {
    const last = offset + length - 1;
    const previous = ranges.at(-1);
    if (previous && offset <= previous.last) previous.last = Math.max(previous.last, last);
    else ranges.push({ first: offset, last });
  }
  return ranges;
}

/** The text from token `from` to token `to` with the ranges inside it marked. */
function marked(
  tokens: WordOffsets,
  ranges: readonly Range[],
  from: number,
  to: number,
  marks: Marks,
) {
  const { open = '<mark>', close = '</mark>' } = marks;
  const { text } = tokens;
  let copied = from === 0 ? 0 : (tokens.start(from) ?? 0);
  let out = '';
  for (const { first, last } of ranges) {
    if (first < from || first > to) continue;
    const start = tokens.start(first) ?? text.length;
    const end = tokens.end(Math.min(last, to)) ?? text.length;
    out += text.slice(copied, start) + open + text.slice(start, end) + close;
    copied = end;
  }
  return { out, copied };
}

/** FTS5's snippet() over the columns given: one column's, or the best of several. */
export function cutSnippet(
  sources: readonly ColumnText[],
  instances: readonly Instance[],
  options: SnippetOptions,
): string {
  const { ellipsis = '...', tokens: size = 32 } = options;
  const window = bestWindow(sources, instances, size);
  if (window === undefined) return '';
  const { column, tokens, start } = window;
  const { text } = tokens;
  const last = start + size - 1;
  const ranges = coalesced(instances.filter((instance) => instance.column === column));
  const { out, copied } = marked(tokens, ranges, start, last, options);
  const before = start > 0 ? ellipsis : '';
  if (!tokens.has(last + 1)) return before + out + text.slice(copied);
  return before + out + text.slice(copied, Math.max(copied, tokens.end(last) ?? 0)) + ellipsis;
}

/** FTS5's highlight(). */
export function highlightText(
  { column, text }: ColumnText,
  instances: readonly Instance[],
  marks: Marks,
): string {
  const tokens = offsetsOf(text);
  const ranges = coalesced(instances.filter((instance) => instance.column === column));
  const { out, copied } = marked(tokens, ranges, 0, tokens.count, marks);
  return out + text.slice(copied);
}
