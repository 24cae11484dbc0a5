/**
 * An inverted index: the numbers of the messages that have each term. A question reads only the lists of its
 * words, not all messages.
 *
 * The numbers of a term ascend. Each is stored as the difference from the one before it, shifted left by four
 * bits, which tell where in the message the term is (IN_CONTENT and so on). These values are variable-length
 * integers (LEB128), as in Lucene. A list is a chain of chunks in one array. Each chunk is longer than the one
 * before it, and ends with the index of the next. A zero byte means that the rest of its chunk is not used,
 * because no value begins with one.
 */
import { withCapacity } from '../../base/arrays/typed-array.js';
import type { ConversationTerms } from '../conversation-terms.js';
import { NEAR_TERMS } from './lexical-constants.js';
import type { WordMasks } from './word-masks.js';

/** Bytes of the first, second, … chunk of a list for values; all later ones have the last size. */
const CHUNK_BYTES = [4, 12, 28, 60, 124, 252] as const;
const LAST_LEVEL = CHUNK_BYTES.length - 1;
const LINK_BYTES = 4;
/** In the content, not only in the speaker's name or the date. */
const IN_CONTENT = 1;
/** Among the first, or the last, NEAR_TERMS terms. */
const IN_HEAD = 2;
const IN_TAIL = 4;
/** More than once. */
const IS_REPEATED = 8;
const PLACE_BITS = 4;
const PLACES = 2 ** PLACE_BITS - 1;
/** Set for every term of the message that is added. */
const IS_IN = 16;
const MAX_VALUE_BYTES = 5;

/** Of a list: index after the last value; that after its chunk; 1 + the last number; level of the chunk. */
const FIELDS = 4;
const [END, CHUNK_END, LAST, LEVEL] = [0, 1, 2, 3];

const chunkBytes = (level: number): number => CHUNK_BYTES[level] ?? 0;

export class TermPostings {
  #bytes = new Uint8Array(1 << 16);
  /** 0 is no chunk. */
  #used = 1;
  /** By term ID: index of the first chunk, 0 if there is none. */
  #firsts = new Uint32Array(0);
  /** By term ID: FIELDS numbers about the end of its list. Side by side, they are one access to memory. */
  #ends = new Uint32Array(0);
  /** By term ID: where it is in the message that is added. */
  #placesOf = new Uint8Array(0);

  /** Numbers must ascend. `vocabularySize`: all term IDs are lower. */
  add(
    { terms, starts, prefixes }: ConversationTerms,
    message: number,
    number: number,
    vocabularySize: number,
  ): void {
    this.#reserveTerms(vocabularySize);
    const placesOf = this.#placesOf;
    const start = starts[message] ?? 0;
    const content = start + (prefixes[message] ?? 0);
    const end = starts[message + 1] ?? 0;
    for (let position = start; position < end; position++) {
      const term = terms[position] ?? 0;
      const before = placesOf[term] ?? 0;
      placesOf[term] =
        before |
        (before === 0 ? IS_IN : IS_REPEATED) |
        (position >= content ? IN_CONTENT : 0) |
        (position < start + NEAR_TERMS ? IN_HEAD : 0) |
        (position >= end - NEAR_TERMS ? IN_TAIL : 0);
    }
    for (let position = start; position < end; position++) {
      const term = terms[position] ?? 0;
      const places = placesOf[term] ?? 0;
      if (places !== 0) this.#append(term, number, places & PLACES);
      placesOf[term] = 0;
    }
  }

  /** Sets `bit` in the masks of all messages that have the term. */
  mark(term: number, bit: number, masks: WordMasks): void {
    const { all, content, heads, tails, repeated } = masks;
    const bytes = this.#bytes;
    let at = this.#firsts[term] ?? 0;
    if (at === 0) return;
    const end = this.#ends[FIELDS * term + END] ?? 0;
    let level = 0;
    let chunkEnd = at + chunkBytes(level);
    let number = -1;
    while (at !== end) {
      let byte = at === chunkEnd ? 0 : (bytes[at++] ?? 0);
      if (byte === 0) {
        at = this.#nextChunk(chunkEnd);
        level = Math.min(level + 1, LAST_LEVEL);
        chunkEnd = at + chunkBytes(level);
        continue;
      }
      let value = byte & 127;
      for (let shift = 7; byte > 127; shift += 7) {
        byte = bytes[at++] ?? 0;
        value |= (byte & 127) << shift;
      }
      number += value >>> PLACE_BITS;
      const before = all[number] ?? 0;
      all[number] = before | bit;
      // A word can have several terms: its stems in several languages.
      if ((value & IS_REPEATED) !== 0 || (before & bit) !== 0)
        repeated[number] = (repeated[number] ?? 0) | bit;
      if ((value & IN_CONTENT) !== 0) content[number] = (content[number] ?? 0) | bit;
      if ((value & IN_HEAD) !== 0) heads[number] = (heads[number] ?? 0) | bit;
      if ((value & IN_TAIL) !== 0) tails[number] = (tails[number] ?? 0) | bit;
    }
  }

  #append(term: number, number: number, places: number): void {
    const ends = this.#ends;
    const list = FIELDS * term;
    let value = ((number + 1 - (ends[list + LAST] ?? 0)) << PLACE_BITS) | places;
    ends[list + LAST] = number + 1;
    let at = ends[list + END] ?? 0;
    if (at + MAX_VALUE_BYTES > (ends[list + CHUNK_END] ?? 0)) at = this.#placeFor(value, at, term);
    const bytes = this.#bytes;
    for (; value > 127; value >>>= 7) bytes[at++] = (value & 127) | 128;
    bytes[at++] = value;
    ends[list + END] = at;
  }

  /** Where to write a value that may not fit into the rest of the chunk. */
  #placeFor(value: number, at: number, term: number): number {
    const ends = this.#ends;
    const list = FIELDS * term;
    const chunkEnd = ends[list + CHUNK_END] ?? 0;
    const length = Math.ceil((32 - Math.clz32(value)) / 7);
    if (at + length <= chunkEnd) return at;
    const isFirst = chunkEnd === 0;
    const level = isFirst ? 0 : Math.min((ends[list + LEVEL] ?? 0) + 1, LAST_LEVEL);
    const size = chunkBytes(level);
    const chunk = this.#used;
    this.#used += size + LINK_BYTES;
    this.#bytes = withCapacity(this.#bytes, this.#used);
    if (isFirst) this.#firsts[term] = chunk;
    else this.#link(chunkEnd, chunk);
    ends[list + LEVEL] = level;
    ends[list + CHUNK_END] = chunk + size;
    // A value of five bytes does not fit into a chunk of four.
    return length > size ? this.#placeFor(value, chunk, term) : chunk;
  }

  #link(from: number, chunk: number): void {
    for (let byte = 0; byte < LINK_BYTES; byte++)
      this.#bytes[from + byte] = (chunk >>> (8 * byte)) & 255;
  }

  #nextChunk(from: number): number {
    let chunk = 0;
    for (let byte = 0; byte < LINK_BYTES; byte++)
      chunk |= (this.#bytes[from + byte] ?? 0) << (8 * byte);
    return chunk >>> 0;
  }

  #reserveTerms(count: number): void {
    if (count <= this.#firsts.length) return;
    this.#firsts = withCapacity(this.#firsts, count);
    this.#ends = withCapacity(this.#ends, FIELDS * count);
    this.#placesOf = withCapacity(this.#placesOf, count);
  }
}
