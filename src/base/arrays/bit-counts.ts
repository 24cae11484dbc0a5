/** Counts by the bits of bitmasks. */

/** Adds 1 to the count of each bit of `mask`; `first` is the index of the count of bit 0. */
export function addBits(counts: Uint32Array, first: number, mask: number): void {
  for (let rest = mask; rest !== 0; rest &= rest - 1) {
    const at = first + 31 - Math.clz32(rest & -rest);
    counts[at] = (counts[at] ?? 0) + 1;
  }
}
