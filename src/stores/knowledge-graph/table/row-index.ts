/** The rows of each key, as doubly linked lists in typed arrays: eight megabytes for a million rows. */
import { withCapacity } from '../../../base/arrays/typed-array.js';

/** The end of a list: there is no further row. */
export const END = -1;

export class RowIndex {
  #heads: Int32Array<ArrayBuffer>;
  #counts: Uint32Array<ArrayBuffer>;
  #next = new Int32Array(1 << 10);
  #previous = new Int32Array(1 << 10);

  constructor(keys = 1 << 10) {
    this.#heads = new Int32Array(keys).fill(END);
    this.#counts = new Uint32Array(keys);
  }

  /** Returns the first row of a key, or `END`. */
  first(key: number): number {
    return this.#heads[key] ?? END;
  }

  /** Returns the next row of the same key, or `END`. */
  next(row: number): number {
    return this.#next[row] ?? END;
  }

  count(key: number): number {
    return this.#counts[key] ?? 0;
  }

  add(key: number, row: number): void {
    if (key >= this.#heads.length) this.#growKeys(key + 1);
    if (row >= this.#next.length) this.#growRows(row + 1);
    const head = this.#heads[key] ?? END;
    this.#next[row] = head;
    this.#previous[row] = END;
    if (head !== END) this.#previous[head] = row;
    this.#heads[key] = row;
    this.#counts[key] = this.count(key) + 1;
  }

  remove(key: number, row: number): void {
    const [next, previous] = [this.next(row), this.#previous[row] ?? END];
    if (previous === END) this.#heads[key] = next;
    else this.#next[previous] = next;
    if (next !== END) this.#previous[next] = previous;
    this.#counts[key] = this.count(key) - 1;
  }

  #growKeys(needed: number): void {
    const known = this.#heads.length;
    this.#heads = withCapacity(this.#heads, needed).fill(END, known);
    this.#counts = withCapacity(this.#counts, needed);
  }

  #growRows(needed: number): void {
    this.#next = withCapacity(this.#next, needed);
    this.#previous = withCapacity(this.#previous, needed);
  }
}
