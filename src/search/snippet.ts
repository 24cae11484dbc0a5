/**
 * FTS5's snippet() and highlight(), choice for choice: the window with the most different phrases,
 * one at the start of a sentence preferred, overlapping instances under one pair of marks. Only the
 * offsets of tokens are needed from the text; which tokens to mark comes from the index.
 */
import type { Instance } from './segment-query.js';
import { wordOffsets } from './tokenizer.js';

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

/** Start and end of each token of a text, in turn. */
type Offsets = readonly number[];

const countOf = (tokens: Offsets) => tokens.length >> 1;
const startOf = (tokens: Offsets, token: number) => tokens[2 * token];
const endOf = (tokens: Offsets, token: number) => tokens[2 * token + 1];

interface Window {
  readonly source: ColumnText;
  readonly tokens: Offsets;
  readonly start: number;
  readonly score: number;
}

interface Range {
  readonly first: number;
  readonly last: number;
}

/** Whether a token stands first in the text, or after a full stop or colon and some space. */
function beginsSentence(text: string, tokens: Offsets, token: number): boolean {
  if (token === 0) return true;
  const before = (startOf(tokens, token) ?? 0) - 1;
  let at = before;
  while (at >= 0 && ' \t\n\r'.includes(text.charAt(at))) at--;
  return at !== before && (text[at] === '.' || text[at] === ':');
}

/** The first token of the sentence that `token` is in. */
function sentenceOf(text: string, tokens: Offsets, token: number): number {
  let first = token;
  while (!beginsSentence(text, tokens, first)) first--;
  return first;
}

/** The score of the window at `start`, and where its first and last instance are. */
function scoreWindow(instances: readonly Instance[], start: number, size: number) {
  const seen = new Set<number>();
  let score = 0;
  let first = -1;
  let end = 0;
  for (const { phrase, offset, length } of instances) {
    if (offset < start || offset >= start + size) continue;
    score += seen.has(phrase) ? 1 : NEW_PHRASE;
    seen.add(phrase);
    if (first < 0) first = offset;
    end = offset + length;
  }
  return { score, first, end };
}

/** A window moved so that its instances stand in its middle, within the text. */
function centred(first: number, end: number, size: number, tokenCount: number): number {
  const start = first - Math.trunc((size - (end - first)) / 2);
  return Math.max(0, start + size > tokenCount ? tokenCount - size : start);
}

/** The windows FTS5 weighs for one column, in its order. */
function* windowsOf(
  source: ColumnText,
  instances: readonly Instance[],
  size: number,
): Generator<Window> {
  const tokens = wordOffsets(source.text);
  const count = countOf(tokens);
  for (const { offset } of instances) {
    const { score, first, end } = scoreWindow(instances, offset, size);
    yield { source, tokens, start: centred(first, end, size, count), score };
    if (count <= size) continue;
    const sentence = sentenceOf(source.text, tokens, offset);
    if (sentence >= offset) continue;
    const bonus = sentence === 0 ? TEXT_BONUS : SENTENCE_BONUS;
    const { score: atSentence } = scoreWindow(instances, sentence, size);
    yield { source, tokens, start: sentence, score: atSentence + bonus };
  }
}

function bestWindow(
  sources: readonly ColumnText[],
  instances: readonly Instance[],
  size: number,
): Window | undefined {
  let best: Window | undefined;
  for (const source of sources) {
    const own = instances.filter(({ column }) => column === source.column);
    for (const window of windowsOf(source, own, size))
      if (window.score > (best?.score ?? 0)) best = window;
  }
  const [source] = sources;
  return best ?? (source && { source, tokens: wordOffsets(source.text), start: 0, score: 0 });
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
  text: string,
  tokens: Offsets,
  ranges: readonly Range[],
  from: number,
  to: number,
  marks: Marks,
) {
  const { open = '<mark>', close = '</mark>' } = marks;
  let copied = from === 0 ? 0 : (startOf(tokens, from) ?? 0);
  let out = '';
  for (const { first, last } of ranges) {
    if (first < from || first > to) continue;
    const start = startOf(tokens, first) ?? text.length;
    const end = endOf(tokens, Math.min(last, to)) ?? text.length;
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
  const { source, tokens, start } = window;
  const last = start + size - 1;
  const ranges = coalesced(instances.filter(({ column }) => column === source.column));
  const { out, copied } = marked(source.text, tokens, ranges, start, last, options);
  const before = start > 0 ? ellipsis : '';
  if (last >= countOf(tokens) - 1) return before + out + source.text.slice(copied);
  return (
    before + out + source.text.slice(copied, Math.max(copied, endOf(tokens, last) ?? 0)) + ellipsis
  );
}

/** FTS5's highlight(). */
export function highlightText(
  source: ColumnText,
  instances: readonly Instance[],
  marks: Marks,
): string {
  const tokens = wordOffsets(source.text);
  const ranges = coalesced(instances.filter(({ column }) => column === source.column));
  const { out, copied } = marked(source.text, tokens, ranges, 0, countOf(tokens), marks);
  return out + source.text.slice(copied);
}
