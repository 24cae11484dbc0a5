/**
 * Splits a text into words as recall compares them: runs of letters and digits, NFKC, lower case, `ss` for
 * `ß`, with their offsets in the original text. CJK runs become overlapping pairs of characters, as in the
 * search index. Thai, Lao, Khmer and Burmese, which have no spaces between words, are divided by a dictionary.
 */
import { segmentsOf } from '../../base/text/text-segmenter.js';
import { bigramsOf, cjkRunsOf } from '../../fts/tokenizing/cjk-bigrams.js';

const RUN = /[\p{L}\p{N}\p{M}]+/gu;
const RUN_HERE = new RegExp(RUN, 'uy');
const NOT_ASCII = /[^\0-\x7f]/;
/** Latin, Greek, Cyrillic, Hebrew and Arabic marks. In other scripts (Hindi, Thai), words differ by their marks. */
const OPTIONAL_MARK = /[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed]/g;
const WITHOUT_SPACES = /[\p{scx=Thai}\p{scx=Lao}\p{scx=Khmr}\p{scx=Mymr}]/u;

/** `start` and `end` are UTF-16 offsets. `weight` is the share of a word when lengths are counted. */
export type WordSink = (word: string, start: number, end: number, weight: number) => void;

/** Two characters of a CJK text count as one word, because people read them about as fast. */
const CJK_WEIGHT = 0.5;

/** Calls `sink` for each word, in order. */
export function scanWords(text: string, sink: WordSink): void {
  for (const match of text.matchAll(RUN)) scanRun(match[0], match.index, sink);
}

/** The run of letters and digits at `start`; empty if there is none. */
export function runAt(text: string, start: number): string {
  RUN_HERE.lastIndex = start;
  return RUN_HERE.exec(text)?.[0] ?? '';
}

/** Calls `sink` for each word of a run of letters and digits. `start` is the offset of the run. */
export function scanRun(run: string, start: number, sink: WordSink): void {
  if (NOT_ASCII.test(run)) scanUnicode(run, start, sink);
  else sink(run.toLowerCase(), start, start + run.length, 1);
}

function scanUnicode(run: string, start: number, sink: WordSink): void {
  const cjk = cjkRunsOf(run);
  if (cjk.length === 0) {
    let at = start;
    for (const word of WITHOUT_SPACES.test(run) ? dictionaryWordsOf(run) : [run]) {
      sink(normalize(word), at, at + word.length, 1);
      at += word.length;
    }
    return;
  }
  let at = 0;
  for (const part of cjk) {
    const from = run.indexOf(part, at);
    if (from > at) sink(normalize(run.slice(at, from)), start + at, start + from, 1);
    let offset = start + from;
    for (const pair of bigramsOf(part)) {
      sink(pair.normalize('NFKC'), offset, offset + pair.length, CJK_WEIGHT);
      offset += (pair.codePointAt(0) ?? 0) > 0xffff ? 2 : 1;
    }
    at = from + part.length;
  }
  if (at < run.length) sink(normalize(run.slice(at)), start + at, start + run.length, 1);
}

/** The words of a run, by the dictionary of `Intl.Segmenter`; together they are the run. */
const dictionaryWordsOf = (run: string): string[] =>
  Array.from(segmentsOf('word', run), ({ segment }) => segment);

/** People write `ß` either way (Straße, STRASSE, Strasse). */
const normalize = (word: string) =>
  word.normalize('NFKC').toLowerCase().normalize('NFC').replaceAll('ß', 'ss');

/** Removes diacritics, because people leave them out when they search. */
export function withoutDiacritics(stem: string): string {
  if (!NOT_ASCII.test(stem)) return stem;
  return stem.normalize('NFD').replace(OPTIONAL_MARK, '').normalize('NFC');
}

/** All words, in order. */
export function wordsOf(text: string): string[] {
  const words: string[] = [];
  scanWords(text, (word) => words.push(word));
  return words;
}
