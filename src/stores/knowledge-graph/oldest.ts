/**
 * Which facts have to go where the oldest make room: whole triples, the one first whose newest fact
 * is oldest, because deleting a triple deletes its closed facts as well.
 */
import { END } from './chains.js';
import { topRows } from './top-rows.js';
import type { Key, TripleTable } from './triple-table.js';

/** The triples that have `count` facts together; `undefined` where all that may go have fewer. */
export function oldestKeys(
  table: TripleTable,
  count: number,
  isKept: (key: Key) => boolean,
): readonly Key[] | undefined {
  const rows: number[] = [];
  for (let row = 0; row < table.rowEnd; row += 1) {
    if (table.isUsed(row) && isNewest(table, row) && !isKept(table.keyOf(row))) rows.push(row);
  }
  const keys: Key[] = [];
  let freed = 0;
  for (const row of topRows(rows, count, (a, b) => table.compareRows(a, b))) {
    if (freed >= count) break;
    const key = table.keyOf(row);
    keys.push(key);
    for (let own = table.firstOf(key); own !== END; own = table.nextOf(key, own)) freed += 1;
  }
  return freed < count ? undefined : keys;
}

function isNewest(table: TripleTable, row: number): boolean {
  const key = table.keyOf(row);
  for (let other = table.firstOf(key); other !== END; other = table.nextOf(key, other)) {
    if (other !== row && table.compareRows(other, row) > 0) return false;
  }
  return true;
}
