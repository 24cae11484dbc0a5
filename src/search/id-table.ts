/**
 * The place of each document by its id. Whole numbers given one after another, as the message index
 * numbers its documents, or announced by `reserve`, stand in an array and cost no hashing.
 */
import type { DocumentId } from './segment.js';

/** A number this far beyond twice those known is not one after another. */
const LEAST_DENSE = 1024;
const NONE = -1;

export class IdTable {
  #dense = new Float64Array(LEAST_DENSE).fill(NONE);
  #denseCount = 0;
  readonly #others = new Map<DocumentId, number>();

  get(id: DocumentId): number | undefined {
    const place = typeof id === 'number' ? (this.#dense[id] ?? NONE) : NONE;
    return place === NONE ? this.#others.get(id) : place;
  }

  /** The least whole number from `from` on that has no place. */
  firstFree(from: number): number {
    for (let id = from; ; id += 1) {
      const free = this.#dense.indexOf(NONE, id);
      id = free < 0 ? Math.max(id, this.#dense.length) : free;
      if (!this.#others.has(id)) return id;
    }
  }

  /** Places from `first` on, one after another; false, and nothing changed, if one of the ids has a place. */
  add(ids: ArrayLike<DocumentId>, first: number): boolean {
    for (let at = 0; at < ids.length; at++) {
      const id = ids[at] ?? 0;
      // Most are free numbers; a call for each is what costs at a start.
      if (typeof id === 'number' && this.#dense[id] === NONE && this.#others.size === 0) {
        this.#dense[id] = first + at;
        this.#denseCount++;
      } else if (this.get(id) === undefined) {
        this.set(id, first + at);
      } else {
        while (--at >= 0) this.delete(ids[at] ?? 0);
        return false;
      }
    }
    return true;
  }

  set(id: DocumentId, place: number): void {
    if (!this.#takes(id)) {
      this.#others.set(id, place);
      return;
    }
    if (this.#others.size > 0) this.#others.delete(id);
    if (this.#dense[id] === NONE) this.#denseCount++;
    this.#dense[id] = place;
  }

  delete(id: DocumentId): void {
    if (typeof id === 'number' && (this.#dense[id] ?? NONE) !== NONE) {
      this.#dense[id] = NONE;
      this.#denseCount--;
    } else this.#others.delete(id);
  }

  #takes(id: DocumentId): id is number {
    if (typeof id !== 'number' || !Number.isInteger(id) || id < 0) return false;
    if (id < this.#dense.length) return true;
    if (id >= 2 * (this.#denseCount + LEAST_DENSE)) return false;
    this.reserve(4 * (this.#denseCount + LEAST_DENSE));
    return true;
  }

  /** Whole numbers below `end` come, in whatever order. */
  reserve(end: number): void {
    if (end <= this.#dense.length) return;
    const larger = new Float64Array(end).fill(NONE);
    larger.set(this.#dense);
    this.#dense = larger;
  }
}
