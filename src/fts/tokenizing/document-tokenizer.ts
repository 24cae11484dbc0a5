/**
 * Converts the texts of a document to token numbers (column after column, then the CJK bigrams of the default
 * columns), and to the bytes of its words with symbols. One pass over the code units of a text finds its
 * words (ascii-words.ts) and its chunks. tokenizer.ts and cjk-bigrams.ts define what it must find.
 */
import { Uint32List } from '../../base/arrays/typed-array.js';
import type { Dictionary } from '../terms/dictionary.js';
import { AsciiWords } from './ascii-words.js';
import { cjkTokens } from './cjk-bigrams.js';
import { isCjkUnit, isSpaceUnit, isSymbolUnit } from './symbol-characters.js';
import { SymbolWriter } from './symbol-chunks.js';
import { endOfWord, foldWord, MAX_TERM_BYTES } from './tokenizer.js';

/** Valid until the next document is read. */
export interface DocumentTokens {
  readonly tokens: Uint32Array;
  /** The start of each column in `tokens`, and the end of the last one. */
  readonly starts: readonly number[];
  /** The words with symbols, as symbol-chunks.ts encodes them. */
  readonly symbols: Uint8Array;
}

/**
 * UTF-16 units of a field that are indexed. FTS5 has no such limit; without one, a single huge message
 * would block the process for minutes and fill its memory with words that occur once.
 */
export const MAX_INDEXED_UNITS = 2 ** 22;
const LAST_ASCII = 127;
const SPACE_CODE = 0x20;

export class DocumentTokenizer extends AsciiWords {
  readonly #dictionary: Dictionary;
  readonly #extendedColumns: number;
  readonly #words = new Uint32List();
  /** Start and end of each word of the text that is read: start, end, start, end, … */
  readonly #offsets = new Uint32List();
  readonly #bigrams = new Uint32List();
  readonly #symbols = new SymbolWriter();
  /** Number of the first word of the text being read. */
  #firstWord = 0;
  /**
   * The part of a chunk (text without spaces) that is read so far. `word` is the number of its first word.
   */
  readonly #chunk = { start: 0, word: 0, hasSymbol: false, hasCjk: false };

  /** `extended` is the mask of the columns whose CJK bigrams and words with symbols are read. */
  constructor(dictionary: Dictionary, extended: number) {
    super(dictionary);
    this.#dictionary = dictionary;
    this.#extendedColumns = extended;
  }

  /** Tokenizes the first MAX_INDEXED_UNITS of each text. */
  tokenize(texts: readonly string[]): DocumentTokens {
    const words = this.#words;
    words.clear();
    this.#bigrams.clear();
    this.#symbols.clear();
    const starts: number[] = [];
    for (let column = 0; column < texts.length; column++) {
      starts.push(words.count);
      const text = (texts[column] ?? '').slice(0, MAX_INDEXED_UNITS);
      this.#readText(text, ((this.#extendedColumns >>> column) & 1) === 1);
    }
    starts.push(words.count);
    const { array, count } = this.#bigrams;
    words.append(array.subarray(0, count));
    starts.push(words.count);
    const tokens = words.array.subarray(0, words.count);
    return { tokens, starts, symbols: this.#symbols.bytes };
  }

  #readText(text: string, isExtended: boolean): void {
    if (text === '') return;
    const units = this.load(text);
    // No text has more words than this, so the loop does not check for room.
    this.#words.reserve((text.length >> 1) + 1);
    this.#offsets.clear();
    this.#offsets.reserve(text.length + 2);
    this.#firstWord = this.#words.count;
    this.#beginChunk(0);
    for (let at = 0; at <= text.length; at++) {
      const start = at;
      at = this.scanWord(start);
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

  /** Adds the word that `scanWord` found. */
  #readWord(text: string, start: number, end: number): void {
    const number =
      end - start <= MAX_TERM_BYTES
        ? this.numberOf(text, start, end)
        : this.#dictionary.intern(foldWord(text, start, end));
    this.#push(number, start, end);
  }

  #push(number: number, start: number, end: number): void {
    const { array } = this.#offsets;
    array[this.#offsets.count++] = start;
    array[this.#offsets.count++] = end;
    this.#words.array[this.#words.count++] = number;
  }

  /** Continues at a character outside ASCII; the word began at `start`. Returns the next position. */
  #readUnicode(text: string, start: number, at: number): number {
    const end = endOfWord(text, start, at);
    if (end > at) this.#push(this.#dictionary.intern(foldWord(text, start, end)), start, end);
    else if (start < at) this.#readWord(text, start, at);
    const next = Math.max(end, at + 1);
    for (let i = at; i < next && !this.#chunk.hasCjk; i++)
      this.#chunk.hasCjk = isCjkUnit(this.units[i] ?? 0);
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
    const { start, word, hasSymbol, hasCjk } = this.#chunk;
    if (hasSymbol) {
      const { array, count } = this.#offsets;
      const bounds = { array, from: 2 * (word - this.#firstWord), to: count };
      this.#symbols.addChunk(word, this.units, start, bounds, end);
    }
    if (hasCjk) {
      for (const term of cjkTokens(text.slice(start, end)))
        this.#bigrams.push(this.#dictionary.intern(term));
    }
  }
}
