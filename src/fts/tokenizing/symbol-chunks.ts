/**
 * Stores words with symbols (`C++`, `.env`, `src/a_b.ts`) as they are in a document, so that they are
 * found as typed. A chunk is text without spaces. For each chunk that has a symbol, the bytes hold
 * the number of its first word in the document, then the chunk with one placeholder byte for each
 * word and the symbols in UTF-8. The words themselves are tokens of the document. symbol-characters.ts lists
 * which characters are symbols.
 */
import { withCapacity } from '../../base/arrays/typed-array.js';
import type { Segment } from '../segments/segment.js';

/** Begins a chunk. The number of its first word follows, seven bits per byte, the lowest first. */
const CHUNK = 0;
/** Stands for a word. */
const WORD_BYTE = 1;
/** Replaces control characters that would be read as one of those two. */
const OTHER_CONTROL = 2;

const LAST_ASCII = 127;

/** The bytes of documents, one after the other. */
export class SymbolWriter {
  array = new Uint8Array(16);
  count = 0;

  /**
   * Adds the chunk in `units` from `start` to `end`. `bounds` has start and end of each word, alternating, from
   * index `word` on those of the chunk and later ones. `firstWord` is the number of the chunk's first.
   */
  addChunk(
    firstWord: number,
    units: Uint16Array,
    start: number,
    end: number,
    bounds: Uint32Array,
    word: number,
  ): void {
    // A unit takes at most three bytes, and a number at most five.
    let { array: bytes, count } = this;
    const most = count + 6 + 3 * (end - start);
    if (most > bytes.length) bytes = withCapacity(bytes, most);
    bytes[count++] = CHUNK;
    let rest = firstWord;
    for (; rest > LAST_ASCII; rest >>>= 7) bytes[count++] = (rest & LAST_ASCII) | 0x80;
    bytes[count++] = rest;
    let next = word;
    for (let at = start; at < end; at++) {
      const unit = units[at] ?? 0;
      if (bounds[next] === at) {
        bytes[count++] = WORD_BYTE;
        at = (bounds[next + 1] ?? 0) - 1;
        next += 2;
      } else if (unit > LAST_ASCII) {
        const char = characterAt(units, at);
        count += Buffer.from(bytes.buffer).write(char, count);
        at += char.length - 1;
      } else bytes[count++] = unit <= WORD_BYTE ? OTHER_CONTROL : unit;
    }
    this.array = bytes;
    this.count = count;
  }
}

/** The character at an index. A half of a surrogate pair without the other becomes U+FFFD in UTF-8. */
const characterAt = (units: Uint16Array, at: number) =>
  String.fromCodePoint(String.fromCharCode(units[at] ?? 0, units[at + 1] ?? 0).codePointAt(0) ?? 0);

/** The bytes of a chunk as typed, given the symbols before, between and after its words. */
export function symbolPattern(symbols: readonly string[]): Uint8Array {
  const pieces = symbols.flatMap((text) => {
    const bytes = Buffer.from(text).map((byte) => (byte <= WORD_BYTE ? OTHER_CONTROL : byte));
    return [Uint8Array.of(WORD_BYTE), bytes];
  });
  return Buffer.concat(pieces.slice(1));
}

/**
 * Calls `found` for each instance of `pattern` in a document, with the number of its first word in the
 * document. `isWord(word, n)` decides whether that word of the document matches the pattern's n-th.
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
    if (byte === CHUNK) {
      word = 0;
      for (let shift = 0; ; shift += 7) {
        const part = symbols[++at] ?? 0;
        word |= (part & LAST_ASCII) << shift;
        if (part <= LAST_ASCII) break;
      }
      continue;
    }
    if (byte === lead && isPatternAt(symbols, at, to, pattern, word, isWord)) found(word);
    if (byte === WORD_BYTE) word++;
  }
}

function isPatternAt(
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
