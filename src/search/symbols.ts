/**
 * Words with symbols (`C++`, `.env`, `src/a_b.ts`) as they stand in a document, so that they are found
 * as typed: for each stretch without spaces that has a symbol, the number of its first word among the
 * document's, and the stretch itself with a sign in place of every word. The words are the document's
 * own tokens and are not kept twice. In bytes, symbols as UTF-8.
 */
import type { Segment } from './segment.js';

/** Begins a stretch; the number of its first word follows, seven bits a byte, the lowest first. */
const STRETCH = 0;
/** In place of a word. */
const WORD_BYTE = 1;
/** Control characters that would read as one of those. */
const OTHER_CONTROL = 2;

const LAST_UNIT = 0xffff;
const LAST_ASCII = 127;

/** Start and end of each word, in turn: a stretch of an array, for a view of it would cost more than its use. */
interface WordBounds {
  readonly array: Uint32Array;
  readonly from: number;
  readonly to: number;
}

/** The bytes of one document, as they are written. */
export class SymbolWriter {
  #bytes = new Uint8Array(1024);
  #count = 0;

  /** Forgets the document before. */
  clear(): void {
    this.#count = 0;
  }

  /** Valid until the next `clear`. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#count);
  }

  /**
   * The text in `units` from `start` to `end`, the words in it, and the number of the first.
   */
  stretch(
    firstWord: number,
    units: Uint16Array,
    start: number,
    { array, from, to }: WordBounds,
    end: number,
  ): void {
    // Three bytes a unit are the most, and a number takes no more than five.
    this.#reserve(6 + 3 * (end - start));
    this.#bytes[this.#count++] = STRETCH;
    let rest = firstWord;
    for (; rest > LAST_ASCII; rest >>>= 7) this.#bytes[this.#count++] = (rest & LAST_ASCII) | 0x80;
    this.#bytes[this.#count++] = rest;
    let copied = start;
    for (let i = from; i < to; i += 2) {
      this.#symbols(units, copied, array[i] ?? 0);
      this.#bytes[this.#count++] = WORD_BYTE;
      copied = array[i + 1] ?? 0;
    }
    this.#symbols(units, copied, end);
  }

  /** One thing as typed, see symbolPattern. */
  pattern(pieces: readonly string[]): void {
    for (const piece of pieces) {
      this.#reserve(1 + 3 * piece.length);
      if (piece === WORD) this.#bytes[this.#count++] = WORD_BYTE;
      else
        this.#symbols(
          Uint16Array.from({ length: piece.length }, (_, i) => piece.charCodeAt(i)),
          0,
          piece.length,
        );
    }
  }

  #symbols(units: Uint16Array, from: number, to: number): void {
    for (let at = from; at < to; at++) {
      const unit = units[at] ?? 0;
      if (unit > LAST_ASCII) {
        at += this.#beyondAscii(unit, units[at + 1] ?? 0);
      } else this.#bytes[this.#count++] = unit <= WORD_BYTE ? OTHER_CONTROL : unit;
    }
  }

  /** How many units more than one the character took. */
  #beyondAscii(unit: number, following: number): number {
    const code = String.fromCharCode(unit, following).codePointAt(0) ?? unit;
    const bytes = Buffer.from(String.fromCodePoint(code));
    this.#bytes.set(bytes, this.#count);
    this.#count += bytes.length;
    return code > LAST_UNIT ? 1 : 0;
  }

  #reserve(more: number): void {
    if (this.#count + more <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(this.#bytes.length * 2, this.#count + more));
    larger.set(this.#bytes.subarray(0, this.#count));
    this.#bytes = larger;
  }
}

/** In a list of pieces: any word. */
export const WORD = '';

/** One thing as typed, in pieces: words, and the symbols between them. */
export function symbolPattern(pieces: readonly string[]): Uint8Array {
  const writer = new SymbolWriter();
  writer.pattern(pieces);
  return writer.bytes;
}

/**
 * Calls `found` with the number of the first word of every place in a document where `pattern`
 * stands; `isWord(place, n)` says whether the document's word of that number may be the pattern's n-th.
 */
export function findPattern(
  { symbols, symbolStarts }: Pick<Segment, 'symbols' | 'symbolStarts'>,
  slot: number,
  pattern: Uint8Array,
  isWord: (word: number, n: number) => boolean,
  found: (word: number) => void,
): void {
  const to = symbolStarts[slot + 1] ?? 0;
  const lead = pattern[0];
  let word = 0;
  for (let at = symbolStarts[slot] ?? 0; at < to; at++) {
    const byte = symbols[at] ?? 0;
    if (byte === STRETCH) {
      word = 0;
      for (let shift = 0; ; shift += 7) {
        const part = symbols[++at] ?? 0;
        word |= (part & LAST_ASCII) << shift;
        if (part <= LAST_ASCII) break;
      }
      continue;
    }
    if (byte === lead && standsAt(symbols, at, to, pattern, word, isWord)) found(word);
    if (byte === WORD_BYTE) word++;
  }
}

function standsAt(
  symbols: Uint8Array,
  from: number,
  to: number,
  pattern: Uint8Array,
  firstWord: number,
  isWord: (word: number, n: number) => boolean,
): boolean {
  if (from + pattern.length > to) return false;
  let words = 0;
  for (let i = 0; i < pattern.length; i++) {
    const byte = pattern[i];
    if (symbols[from + i] !== byte) return false;
    if (byte === WORD_BYTE && !isWord(firstWord + words, words++)) return false;
  }
  return true;
}
