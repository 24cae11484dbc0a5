/**
 * Reads a document's texts into token numbers, column after column, the extended tokens of the
 * default columns last. It keeps one buffer for all documents, because most of an index's build
 * is spent here.
 */
import type { Dictionary } from './dictionary.js';
import { type ExtendedSink, extendedTokens } from './extended-tokens.js';
import { scanWords, type WordSink } from './tokenizer.js';

/** Valid until the next document is read. */
export interface DocumentTokens {
  readonly tokens: Uint32Array;
  /** Where each column begins in `tokens`, and where the last ends. */
  readonly starts: readonly number[];
}

export class DocumentReader {
  readonly #dictionary: Dictionary;
  readonly #extendedColumns: number;
  #tokens = new Uint32Array(1024);
  #count = 0;
  readonly #words: WordSink;
  readonly #extended: ExtendedSink;

  /** `extended` is the mask of columns that get extended tokens. */
  constructor(dictionary: Dictionary, extended: number) {
    this.#dictionary = dictionary;
    this.#extendedColumns = extended;
    this.#words = {
      ascii: (text, start, end, hash) => this.#push(dictionary.internAscii(text, start, end, hash)),
      folded: (term) => this.#push(dictionary.intern(term)),
    };
    this.#extended = {
      term: (term) => this.#push(dictionary.intern(term)),
      stretch: (text, start, end) => this.#readPieces(text, start, end),
    };
  }

  read(texts: readonly string[]): DocumentTokens {
    this.#count = 0;
    const starts: number[] = [];
    for (const text of texts) {
      starts.push(this.#count);
      scanWords(text, this.#words);
    }
    starts.push(this.#count);
    texts.forEach((text, column) => {
      if ((this.#extendedColumns >>> column) & 1) extendedTokens(text, this.#extended);
    });
    starts.push(this.#count);
    return { tokens: this.#tokens.subarray(0, this.#count), starts };
  }

  #push(term: number): void {
    if (this.#count === this.#tokens.length) {
      const larger = new Uint32Array(this.#count * 2);
      larger.set(this.#tokens);
      this.#tokens = larger;
    }
    this.#tokens[this.#count++] = term;
  }

  /** What piecesOf gives, without the strings. */
  #readPieces(text: string, start: number, end: number): void {
    let copied = start;
    const symbolsUpTo = (to: number) => {
      while (copied < to) {
        const char = String.fromCodePoint(text.codePointAt(copied) ?? 0);
        this.#push(this.#dictionary.intern(char));
        copied += char.length;
      }
    };
    const sink: WordSink = {
      ascii: (_, from, to, hash) => {
        symbolsUpTo(from);
        this.#words.ascii(text, from, to, hash);
        copied = to;
      },
      folded: (term, from, to) => {
        symbolsUpTo(from);
        this.#words.folded(term, from, to);
        copied = to;
      },
    };
    scanWords(text, sink, start, end);
    symbolsUpTo(end);
  }
}
