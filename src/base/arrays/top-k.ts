/** Keeps the first `limit` items of an order, in a binary heap with the last of them at its top. */

/** Like the argument of `Array.sort`: negative if `a` comes first. */
export type Compare<Item> = (a: Item, b: Item) => number;

export class TopK<Item> {
  readonly #limit: number;
  readonly #compare: Compare<Item>;
  readonly #heap: Item[] = [];

  constructor(limit: number, compare: Compare<Item>) {
    this.#limit = limit;
    this.#compare = compare;
  }

  /** The last of the kept items, if there are `limit` of them. No item after it will be kept. */
  get last(): Item | undefined {
    return this.#heap.length < this.#limit ? undefined : this.#heap[0];
  }

  /** Keeps `item` if it is among the first `limit` of the items offered so far. */
  offer(item: Item): void {
    if (this.#limit <= 0) return;
    if (this.#heap.length < this.#limit) {
      this.#heap.push(item);
      this.#siftUp(this.#heap.length - 1);
    } else if (this.#compare(item, this.#heap[0] as Item) < 0) {
      this.#heap[0] = item;
      this.#siftDown();
    }
  }

  /** Returns the kept items in order. */
  sorted(): Item[] {
    return [...this.#heap].sort(this.#compare);
  }

  #siftUp(from: number): void {
    const item = this.#heap[from] as Item;
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.#compare(this.#heap[parent] as Item, item) >= 0) break;
      this.#heap[at] = this.#heap[parent] as Item;
      at = parent;
    }
    this.#heap[at] = item;
  }

  #siftDown(): void {
    const { length } = this.#heap;
    const item = this.#heap[0] as Item;
    let at = 0;
    for (let child = 1; child < length; child = 2 * at + 1) {
      const [left, right] = [this.#heap[child] as Item, this.#heap[child + 1] as Item];
      const isRight = child + 1 < length && this.#compare(right, left) > 0;
      const later = isRight ? right : left;
      if (this.#compare(later, item) <= 0) break;
      this.#heap[at] = later;
      at = isRight ? child + 1 : child;
    }
    this.#heap[at] = item;
  }
}

/** For a greater share of all items, sorting all of them is faster. */
const SORT_SHARE = 1 / 8;

/** Returns the first `count` items in order. May sort `items` in place. */
export function firstSorted<Item>(
  items: Item[],
  count: number,
  compare: Compare<Item>,
): readonly Item[] {
  if (count >= items.length * SORT_SHARE) return items.sort(compare).slice(0, count);
  const top = new TopK(count, compare);
  for (const item of items) top.offer(item);
  return top.sorted();
}
