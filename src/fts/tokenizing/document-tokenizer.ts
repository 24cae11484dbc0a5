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

/** The tokens of documents, one after the other. */
export class TokenLists {
  readonly tokens = new Uint32List();
  /** Of each document the start of each column in `tokens`, and the end of the last one. */
  readonly starts = new Uint32List();
  readonly symbols = new SymbolWriter();
}

/**
 * UTF-16 units of a field that are indexed. FTS5 has no such limit; without one, a single huge message
 * would block the process for minutes and fill its memory with words that occur once.
 */
export const MAX_INDEXED_UNITS = 2 ** 22;

export class DocumentTokenizer extends AsciiWords {
  readonly #dictionary: Dictionary;
  readonly #extendedColumns: number;
  readonly #bigrams = new Uint32List();
  /** Whether the text being read may have CJK characters. */
  #hasCjk = false;

  /** `extended` is the mask of the columns whose CJK bigrams and words with symbols are read. */
  constructor(dictionary: Dictionary, extended: number) {
    super(dictionary, MAX_TERM_BYTES);
    this.#dictionary = dictionary;
    this.#extendedColumns = extended;
  }

  /** Appends the tokens of a document to `lists`: those of the first MAX_INDEXED_UNITS of each text. */
  tokenize(texts: readonly string[], { tokens, starts, symbols }: TokenLists): void {
    this.words = tokens;
    this.#bigrams.clear();
    const before = tokens.count;
    for (let column = 0; column < texts.length; column++) {
      const text = (texts[column] ?? '').slice(0, MAX_INDEXED_UNITS);
      const firstWord = tokens.count - before;
      starts.push(tokens.count);
      this.#hasCjk = false;
      this.readText(text, (text.length >> 1) + 1);
      if (((this.#extendedColumns >>> column) & 1) === 0) continue;
      this.#addSymbols(text.length, firstWord, symbols);
      if (this.#hasCjk)
        for (const term of cjkTokens(text)) this.#bigrams.push(this.#dictionary.intern(term));
    }
    starts.push(tokens.count);
    const { array, count } = this.#bigrams;
    if (count > 0) tokens.append(array.subarray(0, count));
    starts.push(tokens.count);
  }

  protected readUnicode(text: string, start: number, at: number): number {
    const end = endOfWord(text, start, at);
    if (end > at) this.push(this.#dictionary.intern(foldWord(text, start, end)), start, end);
    else if (start < at) this.readAscii(text, start, at);
    const next = Math.max(end, at + 1);
    for (let i = at; i < next && !this.#hasCjk; i++) this.#hasCjk = isCjkUnit(this.units[i] ?? 0);
    return next;
  }

  /** Adds the chunks (text without spaces) that have symbols, which are in the gaps between words. */
  #addSymbols(length: number, firstWord: number, symbols: SymbolWriter): void {
    const { units } = this;
    const { array, count } = this.offsets;
    let start = 0;
    let from = 0;
    let hasSymbol = false;
    let at = 0;
    array[count] = length + 1; // the space after the text ends the last gap
    for (let to = 0; to <= count; to += 2) {
      const gapEnd = array[to] ?? 0;
      for (; at < gapEnd; at++) {
        const code = units[at] ?? 0;
        if (!isSpaceUnit(code)) hasSymbol ||= isSymbolUnit(code, units[at + 1] ?? 0);
        else {
          if (hasSymbol) symbols.addChunk(firstWord + (from >> 1), units, start, at, array, from);
          start = at + 1;
          from = to;
          hasSymbol = false;
        }
      }
      at = array[to + 1] ?? 0;
    }
  }
}
