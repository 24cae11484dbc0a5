/**
 * The first few of many, in order, without sorting the many.
 */

/** More than this share of all, and sorting all is cheaper. */
const SHARE = 1 / 8;

export function topRows(
  rows: number[],
  count: number,
  compare: (a: number, b: number) => number,
): readonly number[] {
  if (count >= rows.length * SHARE) return rows.sort(compare).slice(0, count);
  const heap = rows.slice(0, count); // the last of the chosen ones on top
  for (let index = (count >> 1) - 1; index >= 0; index -= 1) sink(heap, index, compare);
  for (let index = count; index < rows.length; index += 1) {
    const row = rows[index] ?? 0;
    if (compare(row, heap[0] ?? 0) >= 0) continue;
    heap[0] = row;
    sink(heap, 0, compare);
  }
  return heap.sort(compare);
}

function sink(heap: number[], from: number, compare: (a: number, b: number) => number): void {
  const row = heap[from] ?? 0;
  let place = from;
  for (let child = 2 * place + 1; child < heap.length; child = 2 * place + 1) {
    const right = heap[child + 1];
    const left = heap[child] ?? 0;
    const isRight = right !== undefined && compare(right, left) > 0;
    const larger = isRight ? right : left;
    if (compare(larger, row) <= 0) break;
    heap[place] = larger;
    place = isRight ? child + 1 : child;
  }
  heap[place] = row;
}
