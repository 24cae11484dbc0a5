/**
 * The words of a text as recall compares them: runs of letters and digits, NFKC, lower case, `ss` for `ß`, with
 * the offsets they have in the text as it is. CJK runs become overlapping pairs of characters, as in
 * the exact index.
 */
import { bigramsOf, cjkRunsOf } from '../fts/tokenizing/cjk-bigrams.js';

const RUN = /[\p{L}\p{N}\p{M}]+/gu;
const NOT_ASCII = /[^\0-\x7f]/;
const ASCII_UNITS = 128;
/** By code unit: 1 for letters and digits. */
const IS_ASCII_WORD = Uint8Array.from({ length: ASCII_UNITS }, (_, unit) =>
  /[a-z0-9]/i.test(String.fromCharCode(unit)) ? 1 : 0,
);
const MARK = /\p{M}/gu;

/** `start` and `end` are UTF-16 offsets; `weight`: how much of a word it is when lengths are counted. */
export type WordSink = (word: string, start: number, end: number, weight: number) => void;

/** A pair of CJK characters is read as fast as half a word. */
export const CJK_WEIGHT = 0.5;

/** Calls `sink` for each word, in order. */
export function scanWords(text: string, sink: WordSink): void {
  scanRuns(text, (start, end) => sink(text.slice(start, end).toLowerCase(), start, end, 1), sink);
}

/** The same, with only the place of a word that is ASCII. */
export function scanRuns(
  text: string,
  asciiSink: (start: number, end: number) => void,
  sink: WordSink,
): void {
  for (let at = 0; at < text.length; ) {
    const start = at;
    let unit = text.charCodeAt(at);
    while (IS_ASCII_WORD[unit] === 1) unit = text.charCodeAt(++at);
    if (unit < ASCII_UNITS || at === text.length) {
      if (at > start) asciiSink(start, at);
      at += 1;
      continue;
    }
    // Something else, which may be a letter and belong to the run.
    RUN.lastIndex = start;
    const match = RUN.exec(text);
    if (match === null) return;
    at = RUN.lastIndex;
    if (NOT_ASCII.test(match[0])) scanUnicode(match[0], match.index, sink);
    else asciiSink(match.index, at);
  }
}

function scanUnicode(run: string, start: number, sink: WordSink): void {
  const cjk = cjkRunsOf(run);
  if (cjk.length === 0) {
    sink(folded(run), start, start + run.length, 1);
    return;
  }
  let at = 0;
  for (const part of cjk) {
    const from = run.indexOf(part, at);
    if (from > at) sink(folded(run.slice(at, from)), start + at, start + from, 1);
    let offset = start + from;
    for (const pair of bigramsOf(part)) {
      sink(pair.normalize('NFKC'), offset, offset + pair.length, CJK_WEIGHT);
      offset += (pair.codePointAt(0) ?? 0) > 0xffff ? 2 : 1;
    }
    at = from + part.length;
  }
  if (at < run.length) sink(folded(run.slice(at)), start + at, start + run.length, 1);
}

/** `ß` as `ss`: people write a word either way (Straße, STRASSE, Strasse). */
const folded = (word: string) =>
  word.normalize('NFKC').toLowerCase().normalize('NFC').replaceAll('ß', 'ss');

/** A stem without its diacritics: people leave them out when they search. */
export function withoutMarks(stem: string): string {
  return NOT_ASCII.test(stem) ? stem.normalize('NFD').replace(MARK, '').normalize('NFC') : stem;
}

/** All words, in order. */
export function wordsOf(text: string): string[] {
  const words: string[] = [];
  scanWords(text, (word) => words.push(word));
  return words;
}
