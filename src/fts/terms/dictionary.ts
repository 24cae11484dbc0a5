/**
 * Every term of the index and its number, one dictionary for all segments. The hash table
 * (term-table.ts) finds whole terms. MiniSearch's radix tree finds prefixes and near spellings
 * (query/parse-query.ts decides how near); it is built at the first such search, and each later one first adds the
 * changes since the one before.
 */
import type SearchableMap from 'minisearch/SearchableMap';
import { type PackedTerms, TermTable } from './term-table.js';
import { alphabeticalOrder, termTree } from './term-tree.js';

/** If more than this share of the terms has changed, the tree is built again. */
const REBUILD_SHARE = 1 / 4;

export class Dictionary extends TermTable {
  #tree: SearchableMap<number> | undefined;
  /** Builds the tree step by step. */
  #build: Generator<void, SearchableMap<number>> | undefined;
  /** Terms that were added or removed since the build of the tree began. */
  readonly #changed = new Set<string>();

  /** Takes the terms of a cache under their numbers there. False, and nothing changes, if there are terms already. */
  adopt(packed: PackedTerms, order: Uint32Array): boolean {
    if (this.capacity > 0) return false;
    this.unpack(packed);
    this.#build = termTree((number) => this.packedTerm(number), order);
    return true;
  }

  /**
   * Does one short step of building the tree, so that the first prefix search does not wait for it. False
   * if nothing is left to do.
   */
  prepare(): boolean {
    if (this.#tree !== undefined && this.#changed.size > this.size * REBUILD_SHARE)
      this.#tree = undefined;
    if (this.#tree !== undefined) return false;
    this.#build ??= this.#buildTree();
    const step = this.#build.next();
    if (step.done !== true) return true;
    this.#tree = step.value;
    this.#build = undefined;
    return false;
  }

  /** The numbers of all terms that begin with `prefix`. */
  startingWith(prefix: string): number[] {
    return [...this.#currentTree().atPrefix(prefix).values()];
  }

  /** The terms at most `distance` edits from `term`, including the term itself. */
  spellingsOf(term: string, distance: number): string[] {
    return [...this.#currentTree().fuzzyGet(term, distance).keys()];
  }

  protected onChange(number: number): void {
    if (this.#tree !== undefined || this.#build !== undefined) this.#changed.add(this.term(number));
  }

  *#buildTree(): Generator<void, SearchableMap<number>> {
    this.#changed.clear();
    // A copy, because terms may change between the steps.
    const terms = Array.from({ length: this.capacity }, (_, number) => this.term(number));
    const order = yield* alphabeticalOrder(terms);
    return yield* termTree((number) => terms[number] ?? '', order);
  }

  #currentTree(): SearchableMap<number> {
    while (this.prepare());
    const tree = this.#tree as SearchableMap<number>;
    for (const term of this.#changed) {
      const number = this.find(term);
      if (number === undefined) tree.delete(term);
      else tree.set(term, number);
    }
    this.#changed.clear();
    return tree;
  }
}
