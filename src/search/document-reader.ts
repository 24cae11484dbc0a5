/**
 * Reads a document's texts into token numbers, column after column, the pairs of CJK
 * characters of the default columns last, and words with symbols. One pass over a text's code units
 * finds both its words and the chunks that are more than words, and makes a string of neither where
 * they are plain ASCII: an index's build is mostly this loop. What it finds is what tokenizer.ts and
 * extended-tokens.ts define.
 */
import type { Dictionary } from './dictionary.js';
import { cjkTokens, isCjkUnit, isSpaceUnit, isSymbolUnit } from './extended-tokens.js';
import { SymbolWriter } from './symbols.js';
import { HALF_KEY, KEY_BASE, KEY_DIGITS, MAX_KEYED } from './term-table.js';
import {
  type FoldedSink,
  foldWord,
  isSeparator,
  MAX_TERM_BYTES,
  scanUnicode,
} from './tokenizer.js';

/** Valid until the next document is read. */
export interface DocumentTokens {
  readonly tokens: Uint32Array;
  /** Where each column begins in `tokens`, and where the last ends. */
  readonly starts: readonly number[];
  /** Words with symbols, see symbols.ts. */
  readonly symbols: Uint8Array;
}

/** Buffers longer than this are not kept for the next text. */
const KEPT_UNITS = 2 ** 18;
const LAST_ASCII = 127;
const SPACE_CODE = 0x20;

/** A stretch of text without spaces, as far as it was read. */
interface Chunk {
  start: number;
  /** Number of its first word. */
  word: number;
  hasSymbol: boolean;
  hasCjk: boolean;
}

/** Numbers that are appended to. */
class Numbers {
  array = new Uint32Array(1024);
  count = 0;

  /** Makes room for `more`. */
  reserve(more: number): Uint32Array {
    if (this.count + more > this.array.length) {
      const larger = new Uint32Array(Math.max(this.array.length * 2, this.count + more));
      larger.set(this.array.subarray(0, this.count));
      this.array = larger;
    }
    return this.array;
  }

  push(number: number): void {
    this.reserve(1)[this.count++] = number;
  }

  /** Forgets all, and an array larger than most documents need. */
  clear(): void {
    this.count = 0;
    if (this.array.length > KEPT_UNITS) this.array = new Uint32Array(1024);
  }
}

export class DocumentReader {
  readonly #dictionary: Dictionary;
  readonly #extendedColumns: number;
  readonly #words = new Numbers();
  /** Start and end of each word of the text being read, in turn. */
  readonly #offsets = new Numbers();
  readonly #pairs = new Numbers();
  readonly #symbols = new SymbolWriter();
  /** The code units of the text being read, with a space behind them. */
  #units = new Uint16Array(1024);
  #bytes = Buffer.from(this.#units.buffer);
  /** Number of the first word of the text being read. */
  #firstWord = 0;
  #firstKey = 0;
  #secondKey = 0;
  readonly #chunk: Chunk = { start: 0, word: 0, hasSymbol: false, hasCjk: false };
  readonly #folded: FoldedSink;

  /** `extended` is the mask of columns that get extended tokens. */
  constructor(dictionary: Dictionary, extended: number) {
    this.#dictionary = dictionary;
    this.#extendedColumns = extended;
    this.#folded = {
      folded: (term, start, end) => this.#push(dictionary.intern(term), start, end),
    };
  }

  read(texts: readonly string[]): DocumentTokens {
    const words = this.#words;
    words.clear();
    this.#pairs.clear();
    this.#symbols.clear();
    const starts: number[] = [];
    for (let column = 0; column < texts.length; column++) {
      starts.push(words.count);
      this.#readText(texts[column] ?? '', ((this.#extendedColumns >>> column) & 1) === 1);
    }
    starts.push(words.count);
    const { array, count } = this.#pairs;
    words.reserve(count).set(array.subarray(0, count), words.count);
    words.count += count;
    starts.push(words.count);
    const tokens = words.array.subarray(0, words.count);
    return { tokens, starts, symbols: this.#symbols.bytes };
  }

  /** Copies the text out: reading a typed array is several times faster than a string. */
  #load(text: string): Uint16Array {
    if (text.length >= this.#units.length || this.#units.length > KEPT_UNITS) {
      this.#units = new Uint16Array(Math.max(1024, text.length * 2));
      this.#bytes = Buffer.from(this.#units.buffer);
    }
    this.#bytes.write(text, 'utf16le');
    this.#units[text.length] = SPACE_CODE;
    return this.#units;
  }

  #readText(text: string, isExtended: boolean): void {
    if (text === '') return;
    const units = this.#load(text);
    // No text has more words than this, so that the loop need not look.
    this.#words.reserve((text.length >> 1) + 1);
    this.#offsets.clear();
    this.#offsets.reserve(text.length + 2);
    this.#firstWord = this.#words.count;
    this.#beginChunk(0);
    for (let at = 0; at <= text.length; at++) {
      const start = at;
      at = this.#scanWord(start);
      const code = units[at] ?? 0;
      if (code > LAST_ASCII) at = this.#readUnicode(text, start, at) - 1;
      else if (at > start) this.#readWord(text, start, at);
      if (!isExtended) continue;
      if (code === SPACE_CODE || isSpaceUnit(code)) {
        if (this.#chunk.hasSymbol || this.#chunk.hasCjk) this.#endChunk(text, at);
        this.#beginChunk(at + 1);
      } else if (code <= LAST_ASCII && !this.#chunk.hasSymbol)
        this.#chunk.hasSymbol = isSymbolUnit(code, units[at + 1] ?? 0);
    }
  }

  /** Where the ASCII letters and digits from `start` on end; leaves the key of what they spell. */
  #scanWord(start: number): number {
    const units = this.#units;
    const half = start + HALF_KEY;
    let first = 0;
    let second = 0;
    let at = start;
    let digit = KEY_DIGITS[units[at] ?? 0] ?? 0;
    while (digit !== 0) {
      if (at < half) first = (Math.imul(first, KEY_BASE) + digit) | 0;
      else second = (Math.imul(second, KEY_BASE) + digit) | 0;
      digit = KEY_DIGITS[units[++at] ?? 0] ?? 0;
    }
    this.#firstKey = first;
    this.#secondKey = second;
    return at;
  }

  /** The word that #scanWord found. */
  #readWord(text: string, start: number, end: number): void {
    this.#push(this.#numberOf(text, start, end), start, end);
  }

  #numberOf(text: string, start: number, end: number): number {
    const length = end - start;
    if (length <= MAX_KEYED)
      return this.#dictionary.internKey(this.#firstKey, this.#secondKey, text, start, end);
    return length <= MAX_TERM_BYTES
      ? this.#dictionary.internLong(text, this.#units, start, end)
      : this.#dictionary.intern(foldWord(text, start, end));
  }

  #push(number: number, start: number, end: number): void {
    const { array } = this.#offsets;
    array[this.#offsets.count++] = start;
    array[this.#offsets.count++] = end;
    this.#words.array[this.#words.count++] = number;
  }

  /** The word that begins at `start` and has a character beyond ASCII at `at`; returns where to go on. */
  #readUnicode(text: string, start: number, at: number): number {
    const isWhole = start < at && isSeparator(text.codePointAt(at) ?? 0);
    if (isWhole) this.#readWord(text, start, at);
    // From `at` on there is but the separator then.
    const next = scanUnicode(text, this.#folded, isWhole ? at : start, at);
    for (let i = at; i < next && !this.#chunk.hasCjk; i++)
      this.#chunk.hasCjk = isCjkUnit(this.#units[i] ?? 0);
    return next;
  }

  #beginChunk(start: number): void {
    const chunk = this.#chunk;
    chunk.start = start;
    chunk.word = this.#words.count;
    chunk.hasSymbol = false;
    chunk.hasCjk = false;
  }

  #endChunk(text: string, end: number): void {
    const { start, hasSymbol, hasCjk } = this.#chunk;
    if (hasSymbol) this.#pushStretch(end);
    if (hasCjk) {
      for (const term of cjkTokens(text.slice(start, end)))
        this.#pairs.push(this.#dictionary.intern(term));
    }
  }

  #pushStretch(end: number): void {
    const { start, word } = this.#chunk;
    const { array } = this.#offsets;
    const bounds = { array, from: 2 * (word - this.#firstWord), to: this.#offsets.count };
    this.#symbols.stretch(word, this.#units, start, bounds, end);
  }
}
