/** Binary search in arrays of ascending numbers. */

/** Of the first `count` values, the index of the first of at least `least`, or `count`. */
export function firstAtLeast(values: Uint32Array, count: number, least: number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((values[middle] ?? 0) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Of the first `count` values, the index of the last of at most `most`, or 0. */
export function lastAtMost(values: Uint32Array, count: number, most: number): number {
  let low = 0;
  let high = count - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((values[middle] ?? 0) <= most) low = middle;
    else high = middle - 1;
  }
  return low;
}
