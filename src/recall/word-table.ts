/**
 * Numbers for words, so that a text is read without a string for each of its words: an ASCII word is looked up
 * where it lies. Words are never removed. Of a long word only the beginning counts; it is data and no word.
 */
import { withCapacity } from '../base/typed-array.js';

/** In UTF-16 units. */
export const MAX_WORD_LENGTH = 64;

const FREE = 0;
/** The least number of places; a power of two. */
const LEAST_PLACES = 1 << 12;
/** The bit that lower-case ASCII letters and digits have, and upper-case letters have not. */
const LOWER = 0x20;
/** FNV-1a, with code units for bytes (http://www.isthe.com/chongo/tech/comp/fnv/). */
const HASH_BEGIN = 0x811c9dc5;
const HASH_PRIME = 0x01000193;

const spread = (hash: number) => hash ^ (hash >>> 15);

export class WordTable {
  readonly #words: string[] = [];
  #hashes = new Int32Array(LEAST_PLACES);
  /** By hash: the number of a word plus one, or FREE; at most half of them are taken. */
  #places = new Int32Array(LEAST_PLACES);

  /** The number of a word in lower case, given one where it has none. */
  numberOf(word: string): number {
    const end = Math.min(word.length, MAX_WORD_LENGTH);
    let hash = HASH_BEGIN | 0;
    for (let at = 0; at < end; at++) hash = Math.imul(hash ^ word.charCodeAt(at), HASH_PRIME);
    return this.#find(word, 0, end, hash, 0);
  }

  /** The same for ASCII letters and digits that stand in a text, in either case. */
  numberOfAscii(text: string, start: number, to: number): number {
    const end = Math.min(to, start + MAX_WORD_LENGTH);
    let hash = HASH_BEGIN | 0;
    for (let at = start; at < end; at++)
      hash = Math.imul(hash ^ (text.charCodeAt(at) | LOWER), HASH_PRIME);
    return this.#find(text, start, end, hash, LOWER);
  }

  wordOf(number: number): string {
    return this.#words[number] ?? '';
  }

  /** `bit` is set in each unit of the text before it is compared. */
  #find(text: string, start: number, end: number, hash: number, bit: number): number {
    const last = this.#places.length - 1;
    let place = spread(hash) & last;
    for (; this.#places[place] !== FREE; place = (place + 1) & last) {
      const number = (this.#places[place] ?? 0) - 1;
      if (this.#hashes[number] === hash && this.#isAt(number, text, start, end, bit)) return number;
    }
    const number = this.#words.push(ownCopy(text.slice(start, end), bit)) - 1;
    this.#hashes = withCapacity(this.#hashes, number + 1);
    this.#hashes[number] = hash;
    this.#places[place] = number + 1;
    if (2 * this.#words.length > this.#places.length) this.#grow();
    return number;
  }

  #isAt(number: number, text: string, start: number, end: number, bit: number): boolean {
    const word = this.#words[number] ?? '';
    if (word.length !== end - start) return false;
    for (let at = 0; at < word.length; at++)
      if (word.charCodeAt(at) !== (text.charCodeAt(start + at) | bit)) return false;
    return true;
  }

  #grow(): void {
    const places = new Int32Array(2 * this.#places.length);
    for (let number = 0; number < this.#words.length; number++) {
      let place = spread(this.#hashes[number] ?? 0) & (places.length - 1);
      while (places[place] !== FREE) place = (place + 1) & (places.length - 1);
      places[place] = number + 1;
    }
    this.#places = places;
  }
}

/** A slice would keep its whole text in memory. */
function ownCopy(word: string, bit: number): string {
  const own = Buffer.from(word, 'utf16le').toString('utf16le');
  return bit === 0 ? own : own.toLowerCase();
}
