/**
 * Stores words with symbols (`C++`, `.env`, `src/a_b.ts`) as they are in a document, so that they are
 * found as typed. A chunk is text without spaces. For each chunk that has a symbol, the bytes hold
 * the number of its first word in the document, then the chunk with one placeholder byte for each
 * word and the symbols in UTF-8. The words themselves are tokens of the document. symbol-characters.ts lists
 * which characters are symbols.
 */
import { Pattern } from '../../base/arrays/pattern.js';
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
export function symbolPattern(symbols: readonly string[]): Pattern {
  const pieces = symbols.flatMap((text) => {
    const bytes = Buffer.from(text).map((byte) => (byte <= WORD_BYTE ? OTHER_CONTROL : byte));
    return [Uint8Array.of(WORD_BYTE), bytes];
  });
  return new Pattern(Buffer.concat(pieces.slice(1)));
}

/** Calls `found` for each instance of `pattern` in a document, with the number of words before its end. */
export function findPattern(
  { symbols, symbolStarts }: Pick<Segment, 'symbols' | 'symbolStarts'>,
  slot: number,
  pattern: Pattern,
  found: (words: number) => void,
): void {
  const to = symbolStarts[slot + 1] ?? 0;
  const { length } = pattern.numbers;
  let words = 0;
  let matched = 0;
  for (let at = symbolStarts[slot] ?? 0; at < to; at++) {
    const byte = symbols[at] ?? 0;
    matched = pattern.next(matched, byte);
    if (byte === CHUNK) {
      words = 0;
      for (let shift = 0; ; shift += 7) {
        const part = symbols[++at] ?? 0;
        words |= (part & LAST_ASCII) << shift;
        if (part <= LAST_ASCII) break;
      }
    } else if (byte === WORD_BYTE) words++;
    if (matched === length) found(words);
  }
}
