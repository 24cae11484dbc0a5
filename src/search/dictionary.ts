/**
 * Every term of the index and its number, one dictionary for all segments: MiniSearch's radix tree
 * serves look-ups, prefixes and typo-tolerant spellings of queries, the table beside it the words of
 * texts (term-table.ts).
 */
import SearchableMap from 'minisearch/SearchableMap';
import { type PackedTerms, TermTable } from './term-table.js';
import { termTree } from './term-tree.js';

export class Dictionary extends TermTable {
  #tree: SearchableMap<number> | undefined = new SearchableMap<number>();
  /** Makes the tree of what a cache brought. */
  #making: ReturnType<typeof termTree> | undefined;

  /** Takes a cache's terms, which get the numbers they had there; false, and nothing changed, if there are others. */
  adopt(packed: PackedTerms, order: Uint32Array): boolean {
    if (this.capacity > 0) return false;
    this.unpack(packed);
    this.#tree = undefined;
    this.#making = termTree((number) => this.term(number), order);
    return true;
  }

  /**
   * After `adopt`: does a step of what the first query or change would otherwise wait for. False once
   * nothing is left to do.
   */
  prepare(): boolean {
    const step = this.#making?.next();
    if (step?.done !== true) return step !== undefined;
    this.#tree = step.value;
    this.#making = undefined;
    return false;
  }

  find(term: string): number | undefined {
    return term === '' ? undefined : this.#terms().get(term);
  }

  /** The numbers of all terms that begin with `prefix`. */
  startingWith(prefix: string): number[] {
    return [...this.#terms().atPrefix(prefix).values()];
  }

  /** Terms at most `distance` edits from `term`, the term itself included. */
  spellingsOf(term: string, distance: number): string[] {
    return [...this.#terms().fuzzyGet(term, distance).keys()];
  }

  protected added(term: string, number: number): void {
    this.#terms().set(term, number);
  }

  protected removed(term: string): void {
    this.#terms().delete(term);
  }

  #terms(): SearchableMap<number> {
    while (this.#tree === undefined) this.prepare();
    return this.#tree;
  }
}
