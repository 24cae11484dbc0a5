/**
 * Every term of the index and its number, one dictionary for all segments: MiniSearch's radix tree
 * serves look-ups, prefixes and typo-tolerant spellings; a Map beside it makes indexing fast.
 * A term that no document holds any more is forgotten and its number given to the next new term.
 * That is safe because the old postings under that number all belong to deleted documents.
 */
import SearchableMap from 'minisearch/SearchableMap';

export class Dictionary {
  readonly #numbers = new Map<string, number>();
  readonly #tree = new SearchableMap<number>();
  readonly #terms: string[] = [];
  readonly #uses: number[] = [];
  readonly #free: number[] = [];

  /** Terms in use. */
  get size(): number {
    return this.#numbers.size;
  }

  /** One more than the greatest number ever given. */
  get capacity(): number {
    return this.#terms.length;
  }

  /** The number of `term`, given now if it is new. */
  intern(term: string): number {
    const known = this.#numbers.get(term);
    if (known !== undefined) return known;
    const number = this.#free.pop() ?? this.#terms.length;
    this.#terms[number] = term;
    this.#uses[number] = 0;
    this.#numbers.set(term, number);
    this.#tree.set(term, number);
    return number;
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
    this.#numbers.delete(term);
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
