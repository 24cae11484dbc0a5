/** A merge sort in time slices, so that sorting many numbers does not block the event loop. */
import type { TimeSlice } from '../../../base/async/time-slice.js';

/** The numbers that are sorted in one step, which takes much less than a slice. */
const RUN = 2048;

/** Not stable: `compare` must return 0 for equal numbers only. */
export async function sortInSlices(
  numbers: Uint32Array<ArrayBuffer>,
  compare: (a: number, b: number) => number,
  slice: TimeSlice,
): Promise<Uint32Array<ArrayBuffer>> {
  for (let start = 0; start < numbers.length; start += RUN) {
    numbers.subarray(start, start + RUN).sort(compare);
    if (slice.isSpent()) await slice.yield();
  }
  let from = numbers;
  let to = new Uint32Array(numbers.length);
  for (let width = RUN; width < numbers.length; width *= 2) {
    for (let start = 0; start < numbers.length; start += 2 * width) {
      await merge(from, to, { start, width }, compare, slice);
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
  slice: TimeSlice,
): Promise<void> {
  const middle = Math.min(start + width, from.length);
  const end = Math.min(middle + width, from.length);
  let [left, right] = [start, middle];
  for (let at = start; at < end; at += 1) {
    const isLeft =
      left < middle && (right === end || compare(from[left] ?? 0, from[right] ?? 0) <= 0);
    to[at] = (isLeft ? from[left++] : from[right++]) ?? 0;
    if (at % RUN === 0 && slice.isSpent()) await slice.yield();
  }
}
