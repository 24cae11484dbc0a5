/**
 * NEAR: which instances of several phrases stand within a distance of one another. FTS5 walks all
 * position lists at once and keeps only what its window meets; the rank counts exactly those, so
 * the walk is repeated here move by move (FTS5-RULES, "Instances").
 */

/** One position as a number: columns lie further apart than any distance reaches. */
const COLUMN_STRIDE = 2 ** 40;

export const positionOf = (column: number, offset: number) => column * COLUMN_STRIDE + offset;
export const columnOf = (position: number) => Math.floor(position / COLUMN_STRIDE);
export const offsetOf = (position: number) => position % COLUMN_STRIDE;

interface Reader {
  readonly positions: readonly number[];
  readonly reach: number;
  at: number;
  readonly kept: number[];
}

const current = (reader: Reader) => reader.positions[reader.at] ?? Number.POSITIVE_INFINITY;
const lookAhead = (reader: Reader) => reader.positions[reader.at + 1] ?? Number.POSITIVE_INFINITY;

/** Advances the readers until all stand within one window; false when one has run out. */
function settle(readers: readonly Reader[], lead: Reader): boolean {
  let greatest = current(lead);
  for (let settled = false; !settled; ) {
    settled = true;
    for (const reader of readers) {
      const least = greatest - reader.reach;
      if (current(reader) >= least && current(reader) <= greatest) continue;
      settled = false;
      while (current(reader) < least) reader.at++;
      if (reader.at >= reader.positions.length) return false;
      greatest = Math.max(greatest, current(reader));
    }
  }
  return true;
}

/** False if no instances of the first two phrases are near enough: settles most documents cheaply. */
function canMeet(
  [a = [], b = []]: readonly (readonly number[])[],
  [lengthA = 0, lengthB = 0]: readonly number[],
  distance: number,
): boolean {
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const [left = 0, right = 0] = [a[i], b[j]];
    if (left <= right ? right - left <= lengthA + distance : left - right <= lengthB + distance)
      return true;
    if (left <= right) i++;
    else j++;
  }
  return false;
}

/** The common case of one instance each: all within one window, or none. */
function trimSingles(
  positions: readonly (readonly number[])[],
  lengths: readonly number[],
  distance: number,
): (readonly number[])[] {
  let greatest = 0;
  for (const [position = 0] of positions) greatest = Math.max(greatest, position);
  const meet = positions.every(([p = 0], i) => p >= greatest - (lengths[i] ?? 0) - distance);
  return meet ? [...positions] : positions.map(() => []);
}

/**
 * The positions of each phrase that meet the NEAR, ascending; every list is empty when none do.
 * `lengths` are the phrases' tokens.
 */
export function trimToNear(
  positions: readonly (readonly number[])[],
  lengths: readonly number[],
  distance: number,
): (readonly number[])[] {
  if (!canMeet(positions, lengths, distance)) return positions.map(() => []);
  if (positions.every((list) => list.length === 1))
    return trimSingles(positions, lengths, distance);
  const readers = positions.map((list, i): Reader => {
    return { positions: list, reach: (lengths[i] ?? 0) + distance, at: 0, kept: [] };
  });
  const [lead] = readers;
  if (lead === undefined || positions.some((list) => list.length === 0))
    return positions.map(() => []);
  while (settle(readers, lead)) {
    for (const reader of readers) {
      if (reader.kept.at(-1) !== current(reader)) reader.kept.push(current(reader));
    }
    let soonest = lead;
    for (const reader of readers) {
      if (lookAhead(reader) < lookAhead(soonest)) soonest = reader;
    }
    soonest.at++;
    if (soonest.at >= soonest.positions.length) break;
  }
  return readers.map(({ kept }) => kept);
}
