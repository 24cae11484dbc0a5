/**
 * Sorts many numbers without keeping anybody else waiting: small runs are sorted at once, then merged,
 * with a breath in between.
 */
import type { Breath } from '../../base/breath.js';

/** Sorted in well under a slice. */
const RUN = 2048;

/** Stable only for a `compare` that tells all of them apart. */
export async function sortInSlices(
  numbers: Uint32Array<ArrayBuffer>,
  compare: (a: number, b: number) => number,
  breath: Breath,
): Promise<Uint32Array<ArrayBuffer>> {
  for (let start = 0; start < numbers.length; start += RUN) {
    numbers.subarray(start, start + RUN).sort(compare);
    if (breath.isDue()) await breath.take();
  }
  let from = numbers;
  let to = new Uint32Array(numbers.length);
  for (let width = RUN; width < numbers.length; width *= 2) {
    for (let start = 0; start < numbers.length; start += 2 * width) {
      await merge(from, to, { start, width }, compare, breath);
    }
    [from, to] = [to, from];
  }
  return from;
}

async function merge(
  from: Uint32Array,
  to: Uint32Array,
  { start, width }: { start: number; width: number },
  compare: (a: number, b: number) => number,
  breath: Breath,
): Promise<void> {
  const middle = Math.min(start + width, from.length);
  const end = Math.min(middle + width, from.length);
  let [left, right] = [start, middle];
  for (let at = start; at < end; at += 1) {
    const isLeft =
      left < middle && (right === end || compare(from[left] ?? 0, from[right] ?? 0) <= 0);
    to[at] = (isLeft ? from[left++] : from[right++]) ?? 0;
    if (at % RUN === 0 && breath.isDue()) await breath.take();
  }
}
