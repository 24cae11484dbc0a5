/**
 * Every term of the index and its number, one dictionary for all segments: MiniSearch's radix tree
 * serves look-ups, prefixes and typo-tolerant spellings of queries; a hash table beside it numbers the
 * words of a text being indexed without making a string of each.
 * A term that no document holds any more is forgotten and its number given to the next new term.
 * That is safe because the old postings under that number all belong to deleted documents.
 */
import SearchableMap from 'minisearch/SearchableMap';
import { asciiFold, HASH_PRIME, HASH_SEED } from './tokenizer.js';

const NONE = -1;

function hashOf(term: string): number {
  let hash = HASH_SEED;
  for (let i = 0; i < term.length; i++) hash = Math.imul(hash ^ term.charCodeAt(i), HASH_PRIME);
  return hash;
}

/** Whether the ASCII word at `start` of `text` folds to `term`, which is as long. */
function foldsTo(term: string, text: string, start: number): boolean {
  for (let i = 0; i < term.length; i++) {
    if (asciiFold(text.charCodeAt(start + i)) !== term.charCodeAt(i)) return false;
  }
  return true;
}

export class Dictionary {
  readonly #tree = new SearchableMap<number>();
  readonly #terms: string[] = [];
  readonly #uses: number[] = [];
  readonly #free: number[] = [];
  /** Terms of one bucket are chained by number; as many buckets as a power of two. */
  #buckets = new Int32Array(1 << 12).fill(NONE);
  readonly #next: number[] = [];
  readonly #hashes: number[] = [];

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
    const hash = hashOf(term);
    for (let at = this.#bucket(hash); at !== NONE; at = this.#next[at] ?? NONE) {
      if (this.#hashes[at] === hash && this.#terms[at] === term) return at;
    }
    return this.#add(term, hash);
  }

  /** The same for an ASCII word of a text, given the hash of its folded form. */
  internAscii(text: string, start: number, end: number, hash: number): number {
    for (let at = this.#bucket(hash); at !== NONE; at = this.#next[at] ?? NONE) {
      if (this.#hashes[at] !== hash) continue;
      const term = this.#terms[at] ?? '';
      if (term.length === end - start && foldsTo(term, text, start)) return at;
    }
    // A slice would keep the whole text in memory for as long as the term lives.
    const own = Buffer.from(text.slice(start, end), 'latin1').toString('latin1');
    return this.#add(own.toLowerCase(), hash);
  }

  #bucket(hash: number): number {
    return this.#buckets[hash & (this.#buckets.length - 1)] ?? NONE;
  }

  #add(term: string, hash: number): number {
    if (this.size >= this.#buckets.length) this.#grow();
    const number = this.#free.pop() ?? this.#terms.length;
    this.#terms[number] = term;
    this.#uses[number] = 0;
    this.#hashes[number] = hash;
    this.#link(number);
    this.#tree.set(term, number);
    return number;
  }

  #link(number: number): void {
    const bucket = (this.#hashes[number] ?? 0) & (this.#buckets.length - 1);
    this.#next[number] = this.#buckets[bucket] ?? NONE;
    this.#buckets[bucket] = number;
  }

  #unlink(number: number): void {
    const bucket = (this.#hashes[number] ?? 0) & (this.#buckets.length - 1);
    const after = this.#next[number] ?? NONE;
    let at = this.#buckets[bucket] ?? NONE;
    if (at === number) this.#buckets[bucket] = after;
    while (at !== NONE && this.#next[at] !== number) at = this.#next[at] ?? NONE;
    if (at !== NONE) this.#next[at] = after;
  }

  #grow(): void {
    this.#buckets = new Int32Array(this.#buckets.length * 4).fill(NONE);
    const free = new Set(this.#free);
    for (let number = 0; number < this.#terms.length; number++) {
      if (!free.has(number)) this.#link(number);
    }
  }

  /** Counts more documents that hold the term. */
  retain(number: number, documents = 1): void {
    this.#uses[number] = (this.#uses[number] ?? 0) + documents;
  }

  /** Counts one document less; the last one takes the term along. */
  release(number: number): void {
    const left = (this.#uses[number] ?? 1) - 1;
    this.#uses[number] = left;
    if (left > 0) return;
    const term = this.#terms[number] ?? '';
    this.#unlink(number);
    this.#tree.delete(term);
    this.#terms[number] = '';
    this.#free.push(number);
  }

  find(term: string): number | undefined {
    return term === '' ? undefined : this.#tree.get(term);
  }

  term(number: number): string {
    return this.#terms[number] ?? '';
  }

  /** The numbers of all terms that begin with `prefix`. */
  startingWith(prefix: string): number[] {
    return [...this.#tree.atPrefix(prefix).values()];
  }

  /** Terms at most `distance` edits from `term`, the term itself included. */
  spellingsOf(term: string, distance: number): string[] {
    return [...this.#tree.fuzzyGet(term, distance).keys()];
  }
}
