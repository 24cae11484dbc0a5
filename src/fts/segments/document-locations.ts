/**
 * The location of each document by its id; segment-store.ts encodes a location as one number. Ids that are
 * consecutive whole numbers (as in the message index), or for which `reserve` was called, are stored in an
 * array and need no hashing.
 */
import type { DocumentId } from './segment.js';

/** With n ids in the array, an id counts as consecutive if it is less than 2 × (n + MIN_DENSE). */
const MIN_DENSE = 1024;
const NONE = -1;

export class DocumentLocations {
  #dense = new Float64Array(MIN_DENSE).fill(NONE);
  #denseCount = 0;
  readonly #others = new Map<DocumentId, number>();

  get(id: DocumentId): number | undefined {
    const location = typeof id === 'number' ? (this.#dense[id] ?? NONE) : NONE;
    return location === NONE ? this.#others.get(id) : location;
  }

  /** The lowest whole number from `from` on that is not an id. */
  firstFree(from: number): number {
    for (let id = from; ; id += 1) {
      const free = this.#dense.indexOf(NONE, id);
      id = free < 0 ? Math.max(id, this.#dense.length) : free;
      if (!this.#others.has(id)) return id;
    }
  }

  /**
   * Gives the ids consecutive locations from `first` on. If an id already has a location, it returns false
   * and changes nothing.
   */
  add(ids: ArrayLike<DocumentId>, first: number): boolean {
    for (let at = 0; at < ids.length; at++) {
      const id = ids[at] ?? 0;
      // Most ids are free numbers. A call for each of them would slow down a start.
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

  set(id: DocumentId, location: number): void {
    if (!this.#isDense(id)) {
      this.#others.set(id, location);
      return;
    }
    if (this.#others.size > 0) this.#others.delete(id);
    if (this.#dense[id] === NONE) this.#denseCount++;
    this.#dense[id] = location;
  }

  delete(id: DocumentId): void {
    if (typeof id === 'number' && (this.#dense[id] ?? NONE) !== NONE) {
      this.#dense[id] = NONE;
      this.#denseCount--;
    } else this.#others.delete(id);
  }

  #isDense(id: DocumentId): id is number {
    if (typeof id !== 'number' || !Number.isInteger(id) || id < 0) return false;
    if (id < this.#dense.length) return true;
    if (id >= 2 * (this.#denseCount + MIN_DENSE)) return false;
    this.reserve(4 * (this.#denseCount + MIN_DENSE));
    return true;
  }

  /** Makes room for whole numbers below `end`, which may then come in any order. */
  reserve(end: number): void {
    if (end <= this.#dense.length) return;
    const larger = new Float64Array(end).fill(NONE);
    larger.set(this.#dense);
    this.#dense = larger;
  }
}
