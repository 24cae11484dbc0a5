/**
 * Splits text into the same terms as SQLite's `unicode61 remove_diacritics 1`, for every code point of
 * Unicode: lower case, without diacritics, separated by everything but letters, digits and private-use
 * characters. The tables are generated from SQLite itself (test/fts/generate-unicode-tables.mjs).
 * cjk-bigrams.ts and symbol-chunks.ts have what goes beyond FTS5.
 */
import { withCapacity } from '../../base/arrays/typed-array.js';
import { CLASS_RUNS, FOLD_RUNS } from './unicode-tables.js';

/** Receives each term with the UTF-16 offsets of its word in the text. */
export type TokenSink = (term: string, start: number, end: number) => void;

const SEPARATOR = 0;
const LETTER = 1;
const CODE_POINTS = 0x110000;
const LAST_ASCII = 127;
/** Characters that are read before the number of words is compared again. */
const STRIDE = 128;

/** FTS5 cuts terms to this many UTF-8 bytes. */
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
    const numbers = run.split(',').map((n) => Number.parseInt(n, 36));
    const [first = 0, count = 0, step = 0, target = 0, targetStep = 0] = numbers;
    for (let i = 0; i < count; i++) {
      const folded = target + i * targetStep;
      folds.set(first + i * step, folded === 0 ? '' : String.fromCodePoint(folded));
    }
  }
  return folds;
}

const CLASSES = unpackClasses();
const FOLDS = unpackFolds();

/** A lone surrogate reaches SQLite as U+FFFD, a separator; codePointAt returns it unchanged. */
const classAt = (code: number) => CLASSES[code] ?? SEPARATOR;

/** The end of the token characters from `start` on. */
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

/** The term for the word `text[start..end)`. */
export const foldWord = (text: string, start: number, end: number) =>
  cutTerm(foldTerm(text.slice(start, end)));

/** 1 for ASCII letters and digits. */
const ASCII_WORDS = CLASSES.slice(0, 128);

/** The UTF-16 offsets of the words of a text. Reads the text only as far as it is asked for. */
export class WordOffsets {
  #text = '';
  /** Start and end of each word found so far, alternating. The next text uses the array again. */
  #found = new Int32Array(512);
  #count = 0;
  #at = 0;

  /** Starts another text. */
  read(text: string): this {
    this.#text = text;
    this.#count = 0;
    this.#at = 0;
    return this;
  }

  get text(): string {
    return this.#text;
  }

  /** The start of a word, counted from 0; `undefined` if there are fewer words. */
  start(word: number): number | undefined {
    return this.has(word) ? this.#found[2 * word] : undefined;
  }

  end(word: number): number | undefined {
    return this.has(word) ? this.#found[2 * word + 1] : undefined;
  }

  has(word: number): boolean {
    this.#reach(word);
    return 2 * word + 1 < this.#count;
  }

  /** The number of words. Reads the text to its end. */
  get count(): number {
    this.#reach(this.#text.length);
    return this.#count >> 1;
  }

  #reach(word: number): void {
    const { length } = this.#text;
    while (this.#count < 2 * word + 2 && this.#at < length) {
      const stop = Math.min(length, this.#at + STRIDE);
      this.#scanAscii(stop);
      if (this.#at < stop) this.#scanUnicode();
      else if (stop === length && this.#isInside) this.#found[this.#count++] = length;
    }
  }

  get #isInside(): boolean {
    return this.#count % 2 === 1;
  }

  /**
   * Reads to `stop` or to a character outside ASCII. Every offset is written and only a word boundary
   * advances the count, which spares the processor a branch that it cannot predict.
   */
  #scanAscii(stop: number): void {
    const text = this.#text;
    // Has room for the word after these characters too.
    this.#found = withCapacity(this.#found, this.#count + STRIDE + 3);
    const found = this.#found;
    let count = this.#count;
    let inside = count % 2;
    let at = this.#at;
    for (; at < stop; at++) {
      const code = text.charCodeAt(at);
      if (code > LAST_ASCII) break;
      const isWord = ASCII_WORDS[code] ?? 0;
      found[count] = at;
      count += inside ^ isWord;
      inside = isWord;
    }
    this.#count = count;
    this.#at = at;
  }

  /** Reads the word that has a character outside ASCII here or ends before it, or skips that character. */
  #scanUnicode(): void {
    const at = this.#at;
    const start = this.#isInside ? (this.#found[this.#count - 1] ?? at) : at;
    const end = endOfWord(this.#text, start, at);
    if (end > at || start < at) {
      if (start === at) this.#found[this.#count++] = at;
      this.#found[this.#count++] = end;
    }
    this.#at = end > at ? end : at + 1;
  }
}

/** The end of a word that began at `start`, given a character outside ASCII at `at`; `at` if it is in no word. */
export function endOfWord(text: string, start: number, at: number): number {
  const kind = classAt(text.codePointAt(at) ?? 0);
  return kind === SEPARATOR || (start === at && kind !== LETTER) ? at : endOfRun(text, at);
}

/** Used again for every text. */
const OFFSETS = new WordOffsets();

/** Calls `sink` for each term of `text`, in order. */
export function tokenize(text: string, sink: TokenSink): void {
  OFFSETS.read(text);
  for (let word = 0; OFFSETS.has(word); word++) {
    const start = OFFSETS.start(word) ?? 0;
    const end = OFFSETS.end(word) ?? 0;
    sink(foldWord(text, start, end), start, end);
  }
}

/** The terms of `text`, in order. */
export function termsOf(text: string): string[] {
  const terms: string[] = [];
  tokenize(text, (term) => terms.push(term));
  return terms;
}
