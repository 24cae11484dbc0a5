/**
 * Every term of the index and its number, as a hash table that numbers the words of a text being
 * indexed without making a string of each. There a term is a pair of 32-bit numbers, the key: short
 * words and single characters are equal exactly when their keys are. A term that no document holds any
 * more is forgotten and its number given to the next new term. That is safe because the old postings
 * under that number all belong to deleted documents.
 */
const NONE = -1;

/** Letters and digits of a word as digits of this base, six to a number, fit the two numbers of a key. */
export const KEY_BASE = 37;
export const HALF_KEY = 6;
/** Words of at most this many plain letters and digits are known by their keys alone. */
export const MAX_KEYED = 2 * HALF_KEY;
/** Second numbers that no word of plain letters and digits has: 37^6 ends below them. */
const BY_TEXT = -1;
const BY_CODE = -2;
const HASH_PRIME = 0x01000193;

/** What an ASCII letter or digit counts in a key, upper case as lower; 0 for any other code unit. */
export const KEY_DIGITS = new Uint8Array(0x10000);
for (const [i, char] of [...'abcdefghijklmnopqrstuvwxyz0123456789'].entries()) {
  KEY_DIGITS[char.charCodeAt(0)] = i + 1;
  KEY_DIGITS[char.toUpperCase().charCodeAt(0)] = i + 1;
}

/** An entry of the table, one cache line at most: key, key, next of its bucket, documents that hold it. */
const ENTRY = 4;
const NEXT = 2;
const USES = 3;

const bucketHash = (first: number, second: number) => {
  const mixed = Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b);
  return mixed ^ (mixed >>> 15);
};

const PLAIN = /^[a-z0-9]+$/;

/** Sets the bit that lower-case letters have and upper-case ones lack; digits have it as well. */
const LOWER = 0x20;

const hashed = (hash: number, unit: number) => Math.imul(hash ^ unit, HASH_PRIME);

function textHash(term: string): number {
  let hash = 0;
  for (let i = 0; i < term.length; i++) hash = hashed(hash, term.charCodeAt(i));
  return hash;
}

/** A slice would keep the whole text in memory for as long as the term lives. */
const ownCopy = (text: string) => Buffer.from(text, 'latin1').toString('latin1');

/** A table without gaps in its numbers, as arrays. */
export interface PackedTerms {
  /** See ENTRY; documents are not counted in it. */
  readonly entries: Int32Array;
  readonly buckets: Int32Array;
  /** All terms by number, one after another, in UTF-8; and where each ends, in UTF-16 units. */
  readonly text: Uint8Array;
  readonly ends: Uint32Array;
}

export abstract class TermTable {
  /** Those of a cache are `undefined` until they are asked for. */
  readonly #terms: (string | undefined)[] = [];
  #packed: PackedTerms | undefined;
  #text: string | undefined;
  readonly #free: number[] = [];
  /** The first of each bucket; as many buckets as a power of two. */
  #buckets: Int32Array = new Int32Array(1 << 13).fill(NONE);
  #entries: Int32Array = new Int32Array(ENTRY << 12);

  /** Terms in use. */
  get size(): number {
    return this.#terms.length - this.#free.length;
  }

  /** One more than the greatest number ever given. */
  get capacity(): number {
    return this.#terms.length;
  }

  /** The number of `term`, given now if it is new. */
  intern(term: string): number {
    const code = term.codePointAt(0) ?? 0;
    if (term.length <= MAX_KEYED && PLAIN.test(term)) {
      let first = 0;
      let second = 0;
      for (let i = 0; i < term.length; i++) {
        const digit = KEY_DIGITS[term.charCodeAt(i)] ?? 0;
        if (i < HALF_KEY) first = (Math.imul(first, KEY_BASE) + digit) | 0;
        else second = (Math.imul(second, KEY_BASE) + digit) | 0;
      }
      return this.internKey(first, second, term, 0, term.length);
    }
    if (term.length === (code > 0xffff ? 2 : 1)) return this.internCode(code);
    const hash = textHash(term);
    let at = this.#firstOf(hash, BY_TEXT);
    while (at !== NONE && (!this.#hasKey(at, hash, BY_TEXT) || this.term(at) !== term))
      at = this.#next(at);
    return at === NONE ? this.#add(term, hash, BY_TEXT) : at;
  }

  /** The number of a single character that is no ASCII letter or digit. */
  internCode(code: number): number {
    let at = this.#firstOf(code, BY_CODE);
    while (at !== NONE && !this.#hasKey(at, code, BY_CODE)) at = this.#next(at);
    return at === NONE ? this.#add(String.fromCodePoint(code), code, BY_CODE) : at;
  }

  /**
   * The number of the word of at most MAX_KEYED ASCII letters and digits that has this key and
   * stands, upper or lower case, in `text`.
   */
  internKey(first: number, second: number, text: string, start: number, end: number): number {
    let at = this.#firstOf(first, second);
    while (at !== NONE && !this.#hasKey(at, first, second)) at = this.#next(at);
    return at === NONE ? this.#add(text.slice(start, end).toLowerCase(), first, second) : at;
  }

  /** The number of a longer word of ASCII letters and digits. */
  internLong(text: string, units: Uint16Array, start: number, end: number): number {
    let hash = 0;
    for (let i = start; i < end; i++) hash = hashed(hash, (units[i] ?? 0) | LOWER);
    let at = this.#firstOf(hash, BY_TEXT);
    while (at !== NONE) {
      const isSame = this.#hasKey(at, hash, BY_TEXT) && this.#spells(at, units, start, end);
      if (isSame) return at;
      at = this.#next(at);
    }
    return this.#add(text.slice(start, end).toLowerCase(), hash, BY_TEXT);
  }

  #spells(number: number, units: Uint16Array, start: number, end: number): boolean {
    const term = this.term(number);
    if (term.length !== end - start) return false;
    for (let i = start; i < end; i++) {
      if (term.charCodeAt(i - start) !== ((units[i] ?? 0) | LOWER)) return false;
    }
    return true;
  }

  #firstOf(first: number, second: number): number {
    return this.#buckets[bucketHash(first, second) & (this.#buckets.length - 1)] ?? NONE;
  }

  #hasKey(number: number, first: number, second: number): boolean {
    const at = ENTRY * number;
    return this.#entries[at] === first && this.#entries[at + 1] === second;
  }

  #next(number: number): number {
    return this.#entries[ENTRY * number + NEXT] ?? NONE;
  }

  #add(term: string, first: number, second: number): number {
    if (this.size * 2 >= this.#buckets.length) this.#growBuckets();
    const number = this.#free.pop() ?? this.#terms.length;
    this.#terms[number] = PLAIN.test(term) ? ownCopy(term) : term;
    if (this.#entries.length < this.#terms.length * ENTRY) {
      const larger = new Int32Array(Math.max(ENTRY << 12, this.#entries.length * 2));
      larger.set(this.#entries);
      this.#entries = larger;
    }
    const at = number * ENTRY;
    this.#entries[at] = first;
    this.#entries[at + 1] = second;
    this.#entries[at + USES] = 0;
    this.#link(number);
    this.added(term, number);
    return number;
  }

  #bucketOf(number: number): number {
    const at = number * ENTRY;
    const hash = bucketHash(this.#entries[at] ?? 0, this.#entries[at + 1] ?? 0);
    return hash & (this.#buckets.length - 1);
  }

  #link(number: number): void {
    const bucket = this.#bucketOf(number);
    this.#entries[number * ENTRY + NEXT] = this.#buckets[bucket] ?? NONE;
    this.#buckets[bucket] = number;
  }

  #unlink(number: number): void {
    const bucket = this.#bucketOf(number);
    const entries = this.#entries;
    const after = entries[number * ENTRY + NEXT] ?? NONE;
    let at = this.#buckets[bucket] ?? NONE;
    if (at === number) {
      this.#buckets[bucket] = after;
      return;
    }
    while (at !== NONE && entries[at * ENTRY + NEXT] !== number)
      at = entries[at * ENTRY + NEXT] ?? NONE;
    if (at !== NONE) entries[at * ENTRY + NEXT] = after;
  }

  #growBuckets(): void {
    this.#buckets = new Int32Array(this.#buckets.length * 4).fill(NONE);
    const free = new Set(this.#free);
    for (let number = 0; number < this.#terms.length; number++) {
      if (!free.has(number)) this.#link(number);
    }
  }

  /** Counts more documents that hold the term. */
  retain(number: number, documents = 1): void {
    const at = number * ENTRY + USES;
    this.#entries[at] = (this.#entries[at] ?? 0) + documents;
  }

  /** Counts one document less; the last one takes the term along. */
  release(number: number): void {
    const at = number * ENTRY + USES;
    const left = (this.#entries[at] ?? 1) - 1;
    this.#entries[at] = left;
    if (left <= 0) this.#giveUp(number);
  }

  /** Forgets the terms that no document holds. */
  giveUpUnused(): void {
    for (let number = 0; number < this.#terms.length; number++) {
      const isUnused = this.#entries[number * ENTRY + USES] === 0 && this.#terms[number] !== '';
      if (isUnused) this.#giveUp(number);
    }
  }

  #giveUp(number: number): void {
    const term = this.term(number);
    this.#unlink(number);
    this.removed(term);
    this.#terms[number] = '';
    this.#free.push(number);
  }

  /** Empty for a number that is given to no term. */
  term(number: number): string {
    this.#terms[number] ??= this.#unpacked(number);
    return this.#terms[number];
  }

  #unpacked(number: number): string {
    if (this.#packed === undefined) return '';
    const { text, ends } = this.#packed;
    this.#text ??= new TextDecoder().decode(text);
    return this.#text.slice(number === 0 ? 0 : ends[number - 1], ends[number]);
  }

  /** The terms in use, in the order of their numbers, and each number's place among them. */
  pack(): { terms: string[]; places: Uint32Array; packed: PackedTerms } {
    const terms: string[] = [];
    const places = new Uint32Array(this.capacity);
    const old: number[] = [];
    for (let number = 0; number < places.length; number++) {
      const term = this.term(number);
      if (term === '') continue; // free
      places[number] = terms.length;
      terms.push(term);
      old.push(number);
    }
    const entries = new Int32Array(ENTRY * terms.length);
    const buckets = new Int32Array(this.#buckets.length).fill(NONE);
    old.forEach((number, place) => {
      const bucket = this.#bucketOf(number);
      const keys = this.#entries.subarray(ENTRY * number, ENTRY * number + NEXT);
      entries.set(keys, ENTRY * place);
      entries[ENTRY * place + NEXT] = buckets[bucket] ?? NONE;
      buckets[bucket] = place;
    });
    const ends = new Uint32Array(terms.length);
    let end = 0;
    terms.forEach((term, place) => {
      end += term.length;
      ends[place] = end;
    });
    return { terms, places, packed: { entries, buckets, text: Buffer.from(terms.join('')), ends } };
  }

  /** The table is empty before. */
  protected unpack(packed: PackedTerms): void {
    this.#packed = packed;
    this.#entries = packed.entries.slice();
    this.#buckets = packed.buckets.slice();
    this.#terms.length = packed.ends.length;
  }

  /** Told of every new term, and of every one that is forgotten. */
  protected abstract added(term: string, number: number): void;
  protected abstract removed(term: string): void;
}
