/**
 * The place of each document by its id. Whole numbers given one after another, as the message index
 * numbers its documents, stand in an array and cost no hashing.
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

  hasAny(ids: ArrayLike<DocumentId>): boolean {
    if (this.#denseCount === 0 && this.#others.size === 0) return false;
    for (let i = 0; i < ids.length; i++) if (this.get(ids[i] ?? 0) !== undefined) return true;
    return false;
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
    const larger = new Float64Array(4 * (this.#denseCount + LEAST_DENSE)).fill(NONE);
    larger.set(this.#dense);
    this.#dense = larger;
    return true;
  }
}
