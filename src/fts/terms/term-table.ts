/**
 * A hash table of every term of the index and its number. It gives numbers to the words of a text
 * without creating a string for each (term-keys.ts). A term that no document contains any more is
 * removed, and its number is given to the next new term. That is safe because all postings under the old
 * number belong to deleted documents.
 *
 * MiniSearch's radix tree, which dictionary.ts uses for prefixes and spellings, could replace this table. But
 * with the table an index is built faster (the rows `build` of bench/search.mjs), and a start is faster because
 * the table is loaded as arrays (bench/warm-start.mjs).
 */
import { withCapacity } from '../../base/arrays/typed-array.js';
import { ownCopy } from '../../base/text/own-copy.js';
import { BY_TEXT, keyOf, type TermKey, termOfKey } from './term-keys.js';

/** No entry. */
export const NONE = -1;

/** An entry, which lies within one cache line: the two numbers of the key, the next entry of the bucket, the number of documents. */
export const ENTRY = 4;
export const NEXT = 2;
const DOCUMENTS = 3;

export const bucketHash = (first: number, second: number) => {
  const mixed = Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b);
  return mixed ^ (mixed >>> 15);
};

/** A table without free numbers, as arrays. */
export interface PackedTerms {
  /** See ENTRY. The number of documents is 0. */
  readonly entries: Int32Array;
  readonly buckets: Int32Array;
  /** All terms in the order of their numbers, in UTF-8, and the end of each in UTF-16 units. */
  readonly text: Uint8Array;
  readonly ends: Uint32Array;
}

export abstract class TermTable {
  /** By number. `undefined` if the key has the whole term, or if the term is still only in `#packed`. */
  readonly #terms: (string | undefined)[] = [];
  #packed: PackedTerms | undefined;
  #text: string | undefined;
  readonly #free: number[] = [];
  /** The first entry of each bucket. The number of buckets is a power of two. Only this class changes it. */
  buckets: Int32Array = new Int32Array(1 << 5).fill(NONE);
  /** See ENTRY. Only this class changes it. */
  entries: Int32Array = new Int32Array(ENTRY * 16);

  /** Number of terms. */
  get size(): number {
    return this.#terms.length - this.#free.length;
  }

  /** All numbers are lower. */
  get capacity(): number {
    return this.#terms.length;
  }

  /** The number of `term`; `undefined` if no document contains it. */
  find(term: string): number | undefined {
    if (term === '') return undefined;
    const { first, second } = keyOf(term);
    const number = this.#find(first, second, term);
    return number === NONE ? undefined : number;
  }

  /** The number of `term`, which is added if it is new. */
  intern(term: string): number {
    const key = keyOf(term);
    const number = this.#find(key.first, key.second, term);
    return number === NONE ? this.add(key, term) : number;
  }

  #find(first: number, second: number, term: string): number {
    let number = this.buckets[bucketHash(first, second) & (this.buckets.length - 1)] ?? NONE;
    while (number !== NONE) {
      if (this.#hasKey(number, first, second) && (second !== BY_TEXT || this.term(number) === term))
        break;
      number = this.#next(number);
    }
    return number;
  }

  #hasKey(number: number, first: number, second: number): boolean {
    const at = ENTRY * number;
    return this.entries[at] === first && this.entries[at + 1] === second;
  }

  #next(number: number): number {
    return this.entries[ENTRY * number + NEXT] ?? NONE;
  }

  /** Adds a new term and returns its number. `text` is needed only if the key is a hash. */
  add({ first, second }: TermKey, text = ''): number {
    if (this.size * 2 >= this.buckets.length) this.#growBuckets();
    const number = this.#free.pop() ?? this.#terms.length;
    this.#terms[number] = second === BY_TEXT ? ownCopy(text) : undefined;
    this.entries = withCapacity(this.entries, this.#terms.length * ENTRY);
    const at = number * ENTRY;
    this.entries[at] = first;
    this.entries[at + 1] = second;
    this.entries[at + DOCUMENTS] = 0;
    this.#link(number);
    this.onChange(number);
    return number;
  }

  #bucketOf(number: number): number {
    const at = number * ENTRY;
    const hash = bucketHash(this.entries[at] ?? 0, this.entries[at + 1] ?? 0);
    return hash & (this.buckets.length - 1);
  }

  #link(number: number): void {
    const bucket = this.#bucketOf(number);
    this.entries[number * ENTRY + NEXT] = this.buckets[bucket] ?? NONE;
    this.buckets[bucket] = number;
  }

  #unlink(number: number): void {
    const bucket = this.#bucketOf(number);
    let at = this.buckets[bucket] ?? NONE;
    if (at === number) this.buckets[bucket] = this.#next(number);
    while (at !== NONE && this.#next(at) !== number) at = this.#next(at);
    if (at !== NONE) this.entries[at * ENTRY + NEXT] = this.#next(number);
  }

  #growBuckets(): void {
    this.buckets = new Int32Array(this.buckets.length * 4).fill(NONE);
    for (let number = 0; number < this.capacity; number++)
      if (!this.#hasKey(number, 0, 0)) this.#link(number);
  }

  /** The number of documents that contain the term. */
  documentsOf(number: number): number {
    return this.entries[number * ENTRY + DOCUMENTS] ?? 0;
  }

  /** Counts more documents that contain the term. */
  retain(number: number, documents = 1): void {
    const at = number * ENTRY + DOCUMENTS;
    this.entries[at] = (this.entries[at] ?? 0) + documents;
  }

  /** Counts one document less. The term is removed with its last document. */
  release(number: number): void {
    const at = number * ENTRY + DOCUMENTS;
    const left = (this.entries[at] ?? 1) - 1;
    this.entries[at] = left;
    if (left <= 0) this.#remove(number);
  }

  /** Removes the terms that no document contains. */
  dropUnused(): void {
    for (let number = 0; number < this.capacity; number++)
      if (this.documentsOf(number) === 0 && !this.#hasKey(number, 0, 0)) this.#remove(number);
  }

  #remove(number: number): void {
    this.onChange(number);
    this.#unlink(number);
    this.#terms[number] = undefined;
    this.entries.fill(0, number * ENTRY, number * ENTRY + NEXT);
    this.#free.push(number);
  }

  /** The term of a number; empty if the number is free. */
  term(number: number): string {
    const at = number * ENTRY;
    const key = { first: this.entries[at] ?? 0, second: this.entries[at + 1] ?? 0 };
    return termOfKey(key) ?? this.#terms[number] ?? this.packedTerm(number);
  }

  /** The term that a number had in the cache that the table was unpacked from. */
  protected packedTerm(number: number): string {
    if (this.#packed === undefined) return '';
    const { text, ends } = this.#packed;
    this.#text ??= new TextDecoder().decode(text);
    return this.#text.slice(number === 0 ? 0 : ends[number - 1], ends[number]);
  }

  /** The terms in the order of their numbers, and for each number the index of its term. */
  pack(): { terms: string[]; indexes: Uint32Array; packed: PackedTerms } {
    const terms: string[] = [];
    const indexes = new Uint32Array(this.capacity);
    const numbers: number[] = [];
    for (let number = 0; number < indexes.length; number++) {
      const term = this.term(number);
      if (term === '') continue; // free
      indexes[number] = terms.length;
      terms.push(term);
      numbers.push(number);
    }
    const entries = new Int32Array(ENTRY * terms.length);
    const buckets = new Int32Array(this.buckets.length).fill(NONE);
    const ends = new Uint32Array(terms.length);
    let end = 0;
    numbers.forEach((number, index) => {
      end += terms[index]?.length ?? 0;
      ends[index] = end;
      const bucket = this.#bucketOf(number);
      entries.set(this.entries.subarray(ENTRY * number, ENTRY * number + NEXT), ENTRY * index);
      entries[ENTRY * index + NEXT] = buckets[bucket] ?? NONE;
      buckets[bucket] = index;
    });
    const text = Buffer.from(terms.join(''));
    return { terms, indexes, packed: { entries, buckets, text, ends } };
  }

  /** Fills the table, which must be empty. */
  protected unpack(packed: PackedTerms): void {
    this.#packed = packed;
    this.entries = packed.entries.slice();
    this.buckets = packed.buckets.slice();
    this.#terms.length = packed.ends.length;
  }

  /** Called after a term was added, and before it is removed. */
  protected abstract onChange(number: number): void;
}
