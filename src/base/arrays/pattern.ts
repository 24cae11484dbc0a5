/**
 * Numbers, such as bytes, that are looked for in a longer row of numbers. The row is read once, from its
 * beginning to its end, so the time does not depend on the length of the pattern (the algorithm of Knuth,
 * Morris and Pratt).
 */
export class Pattern {
  readonly numbers: ArrayLike<number>;
  /** For each count of numbers that matched: the longest shorter beginning of the pattern that they end with. */
  readonly #shorter: Uint32Array;

  constructor(numbers: ArrayLike<number>) {
    this.numbers = numbers;
    this.#shorter = new Uint32Array(numbers.length + 1);
    let matched = 0;
    for (let at = 1; at < numbers.length; at++) {
      matched = this.next(matched, numbers[at] ?? 0);
      this.#shorter[at + 1] = matched;
    }
  }

  /**
   * How many numbers of the pattern match up to `number`, the next one of the row, if `matched` did before it.
   * The pattern is found when this is its length.
   */
  next(matched: number, number: number): number {
    const { numbers } = this;
    let count = matched;
    while (count > 0 && numbers[count] !== number) count = this.#shorter[count] ?? 0;
    return numbers[count] === number ? count + 1 : 0;
  }
}
