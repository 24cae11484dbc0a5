/**
 * Cuts text into the terms that SQLite's `unicode61 remove_diacritics 1` finds in it, for every
 * code point of Unicode: lower case, diacritics removed, everything but letters, digits and
 * private-use characters separating. The tables behind it come from SQLite itself
 * (test/search/generate-unicode-tables.mjs). What goes beyond FTS5 is in extended-tokens.ts.
 */
import { CLASS_RUNS, FOLD_RUNS } from './unicode-tables.js';

/** Called for each term with the UTF-16 offsets of the text it came from. */
export type TokenSink = (term: string, start: number, end: number) => void;

const SEPARATOR = 0;
const LETTER = 1;
const CODE_POINTS = 0x110000;

/** FTS5 keeps this many UTF-8 bytes of a term. */
export const MAX_TERM_BYTES = 32_768;

function unpackClasses(): Uint8Array {
  const classes = new Uint8Array(CODE_POINTS);
  let at = 0;
  for (const [, length = '', kind = ''] of CLASS_RUNS.matchAll(/([0-9a-z]+)([SLM])/g)) {
    const end = at + Number.parseInt(length, 36);
    classes.fill('SLM'.indexOf(kind), at, end);
    at = end;
  }
  return classes;
}

function unpackFolds(): Map<number, string> {
  const folds = new Map<number, string>();
  for (const run of FOLD_RUNS.split(';')) {
    const [first = 0, step = 0, count = 0, shift] = run
      .split(',')
      .map((n) => Number.parseInt(n, 36));
    for (let i = 0; i < count; i++) {
      const code = first + i * step;
      folds.set(code, shift === undefined ? '' : String.fromCodePoint(code + shift));
    }
  }
  return folds;
}

const CLASSES = unpackClasses();
const FOLDS = unpackFolds();

/** A lone surrogate reaches SQLite as U+FFFD, a separator; codePointAt returns it unchanged. */
const classAt = (code: number) => CLASSES[code] ?? SEPARATOR;

/** Whether a code point stands in no word. */
export const isSeparator = (code: number) => classAt(code) === SEPARATOR;

/** Where the run of token characters that begins at `start` ends. */
function endOfRun(text: string, start: number): number {
  let at = start;
  while (at < text.length) {
    const code = text.codePointAt(at) ?? 0;
    if (classAt(code) === SEPARATOR) break;
    at += code > 0xffff ? 2 : 1;
  }
  return at;
}

const NOT_PLAIN = /[^a-z0-9]/;
const NOT_ASCII = /[^\0-\x7f]/;

function foldTerm(raw: string): string {
  if (!NOT_PLAIN.test(raw)) return raw;
  if (!NOT_ASCII.test(raw)) return raw.toLowerCase();
  let folded = '';
  for (const char of raw) folded += FOLDS.get(char.codePointAt(0) ?? 0) ?? char;
  return folded;
}

function cutTerm(term: string): string {
  if (term.length * 3 <= MAX_TERM_BYTES) return term;
  const bytes = Buffer.from(term);
  return bytes.length <= MAX_TERM_BYTES ? term : bytes.toString('utf8', 0, MAX_TERM_BYTES);
}

/** The term that the word `text[start..end)` becomes. */
export const foldWord = (text: string, start: number, end: number) =>
  cutTerm(foldTerm(text.slice(start, end)));

/** 1 for the letters and digits of ASCII. */
const ASCII_WORDS = CLASSES.slice(0, 128);

/** Takes words that have a character beyond ASCII, or end before one. */
export interface FoldedSink {
  folded(term: string, start: number, end: number): void;
}

/** Takes any word. */
interface WordSink extends FoldedSink {
  /** A word of ASCII characters. */
  ascii(start: number, end: number): void;
}

/** Calls `sink` for each word of `text`, making a string only where it must. */
function scanWords(text: string, sink: WordSink): void {
  let at = 0;
  while (at < text.length) {
    const start = at;
    let code = 0;
    while (at < text.length) {
      code = text.charCodeAt(at);
      if (ASCII_WORDS[code] !== LETTER) break;
      at++;
    }
    if (at < text.length && code > 127) at = scanUnicode(text, sink, start, at);
    else {
      if (at > start) sink.ascii(start, at);
      at++;
    }
  }
}

/** The word that begins at `start` and has a character beyond ASCII at `at`; returns where to go on. */
export function scanUnicode(text: string, sink: FoldedSink, start: number, at: number): number {
  const code = text.codePointAt(at) ?? 0;
  const width = code > 0xffff ? 2 : 1;
  const kind = classAt(code);
  if (start === at && kind !== LETTER) return at + width;
  const end = kind === SEPARATOR ? at : endOfRun(text, at);
  sink.folded(foldWord(text, start, end), start, end);
  return end === at ? at + width : end;
}

/** Calls `sink` for each term of `text`, in order. */
export function tokenize(text: string, sink: TokenSink): void {
  scanWords(text, {
    ascii: (start, end) => sink(foldWord(text, start, end), start, end),
    folded: sink,
  });
}

/** The start and end of every word of `text`, in turn. */
export function wordOffsets(text: string): number[] {
  const offsets: number[] = [];
  const push = (start: number, end: number) => {
    offsets.push(start, end);
  };
  scanWords(text, {
    ascii: (start, end) => push(start, end),
    folded: (_, start, end) => push(start, end),
  });
  return offsets;
}

/** The terms of `text`, in order. */
export function termsOf(text: string): string[] {
  const terms: string[] = [];
  tokenize(text, (term) => terms.push(term));
  return terms;
}
