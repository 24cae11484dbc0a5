/**
 * FTS5's bm25(), operation for operation, so that equal counts give equal bits: k1 1.2, b 0.75,
 * phrases summed in their order. And the list of the best, which keeps `limit` hits of any number.
 */
import { exactLog } from './exact-log.js';

const K1 = 1.2;
const B = 0.75;
/** FTS5's idf of a phrase that more than half of the rows have. */
const LEAST_IDF = 1e-6;
/** Longer documents are rare enough to be reckoned one by one. */
const TABLED_LENGTHS = 4096;

/** The weight of one phrase that `hits` of `rows` documents have. */
export function inverseFrequency(rows: number, hits: number): number {
  const idf = exactLog((rows - hits + 0.5) / (hits + 0.5));
  return idf <= 0 ? LEAST_IDF : idf;
}

/** What a document's length does to its frequencies, for one state of the index. */
export class LengthNorms {
  readonly #average: number;
  /** 0 where none was reckoned yet. */
  readonly #table = new Float64Array(TABLED_LENGTHS);

  constructor(rows: number, tokens: number) {
    this.#average = tokens / rows;
    for (let length = 0; length < TABLED_LENGTHS; length++)
      this.#table[length] = this.#norm(length);
  }

  #norm(length: number): number {
    return K1 * (1 - B + (B * length) / this.#average);
  }

  of(length: number): number {
    const known = this.#table[length] ?? 0;
    if (known !== 0) return known;
    const norm = this.#norm(length);
    if (length < TABLED_LENGTHS) this.#table[length] = norm;
    return norm;
  }
}

/** One phrase's share of a document's score. */
export function share(idf: number, frequency: number, norm: number): number {
  return idf * ((frequency * (K1 + 1)) / (frequency + norm));
}

/** No share of a phrase of this weight is greater, rounded as it may be. */
export const mostShare = (idf: number) => idf * (K1 + 1) * (1 + 1e-9);

export interface Scored<Item> {
  readonly score: number;
  /** Greater is newer and goes first among equal scores. */
  readonly order: number;
  readonly item: Item;
}

const isBetter = (a: Scored<unknown>, score: number, order: number) =>
  a.score > score || (a.score === score && a.order > order);

/** Keeps the best `limit` of everything offered (a heap with the worst on top). */
export class Best<Item> {
  readonly #limit: number;
  readonly #heap: Scored<Item>[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Lower scores are never kept. */
  get floor(): number {
    return this.#heap.length < this.#limit ? 0 : (this.#heap[0]?.score ?? 0);
  }

  /** Whether `offer` would keep it; asked first so that most hits cost no allocation. */
  takes(score: number, order: number): boolean {
    if (this.#heap.length < this.#limit) return true;
    const worst = this.#heap[0];
    return worst !== undefined && !isBetter(worst, score, order);
  }

  offer(scored: Scored<Item>): void {
    if (this.#limit === 0) return;
    const heap = this.#heap;
    if (heap.length < this.#limit) {
      heap.push(scored);
      this.#rise(heap.length - 1);
    } else if (this.takes(scored.score, scored.order)) {
      heap[0] = scored;
      this.#sink();
    }
  }

  /** Best first. */
  sorted(): Scored<Item>[] {
    return [...this.#heap].sort((a, b) => b.score - a.score || b.order - a.order);
  }

  #isBelow(a: number, b: number): boolean {
    const [left, right] = [this.#heap[a], this.#heap[b]];
    return left !== undefined && right !== undefined && isBetter(right, left.score, left.order);
  }

  #swap(a: number, b: number): void {
    const [left, right] = [this.#heap[a], this.#heap[b]];
    if (left === undefined || right === undefined) return;
    this.#heap[a] = right;
    this.#heap[b] = left;
  }

  #rise(from: number): void {
    for (let at = from; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (!this.#isBelow(at, parent)) return;
      this.#swap(at, parent);
      at = parent;
    }
  }

  #sink(): void {
    for (let at = 0; ; ) {
      let worst = at;
      for (const child of [2 * at + 1, 2 * at + 2]) if (this.#isBelow(child, worst)) worst = child;
      if (worst === at) return;
      this.#swap(at, worst);
      at = worst;
    }
  }
}
