/**
 * NEAR: the instances of several phrases that stand within a distance of one another. FTS5 walks all
 * position lists at once and keeps only the positions that its window meets. bm25 counts exactly
 * those, so this walk makes the same moves as FTS5's.
 */

/** A position is a column and a token offset in it. Columns lie further apart than any distance. */
const COLUMN_STRIDE = 2 ** 40;

export const positionOf = (column: number, offset: number) => column * COLUMN_STRIDE + offset;
export const columnOf = (position: number) => Math.floor(position / COLUMN_STRIDE);
export const offsetOf = (position: number) => position % COLUMN_STRIDE;

/** A cursor in the positions of one phrase. */
interface Cursor {
  readonly positions: readonly number[];
  /** How far the phrase may begin before the greatest position of the window. */
  readonly reach: number;
  at: number;
  readonly kept: number[];
}

const current = (cursor: Cursor) => cursor.positions[cursor.at] ?? Number.POSITIVE_INFINITY;
const next = (cursor: Cursor) => cursor.positions[cursor.at + 1] ?? Number.POSITIVE_INFINITY;

/** Advances the cursors until all stand within one window. False when one of them has run out. */
function advanceToWindow(cursors: readonly Cursor[], lead: Cursor): boolean {
  let greatest = current(lead);
  for (let isWindow = false; !isWindow; ) {
    isWindow = true;
    for (const cursor of cursors) {
      const least = greatest - cursor.reach;
      if (current(cursor) >= least && current(cursor) <= greatest) continue;
      isWindow = false;
      while (current(cursor) < least) cursor.at++;
      if (cursor.at >= cursor.positions.length) return false;
      greatest = Math.max(greatest, current(cursor));
    }
  }
  return true;
}

/**
 * The positions of each phrase that meet the NEAR, ascending. All lists are empty if none do.
 * `lengths` are the lengths of the phrases in tokens.
 */
export function trimToNear(
  positions: readonly (readonly number[])[],
  lengths: readonly number[],
  distance: number,
): (readonly number[])[] {
  const cursors = positions.map((list, i): Cursor => {
    return { positions: list, reach: (lengths[i] ?? 0) + distance, at: 0, kept: [] };
  });
  const [lead] = cursors;
  if (lead === undefined || positions.some((list) => list.length === 0))
    return positions.map(() => []);
  while (advanceToWindow(cursors, lead)) {
    for (const cursor of cursors) {
      if (cursor.kept.at(-1) !== current(cursor)) cursor.kept.push(current(cursor));
    }
    let soonest = lead;
    for (const cursor of cursors) {
      if (next(cursor) < next(soonest)) soonest = cursor;
    }
    soonest.at++;
    if (soonest.at >= soonest.positions.length) break;
  }
  return cursors.map(({ kept }) => kept);
}
