/**
 * Chooses the facts to evict when the graph is full. It evicts whole triples, because deleting a triple
 * deletes its ended facts too. The triple whose newest fact is the oldest comes first. changes.ts (`#makeRoom`)
 * deletes them.
 */
import { firstSorted } from '../../../base/arrays/top-k.js';
import { END } from './row-index.js';
import type { Key, TripleTable } from './triple-table.js';

/**
 * Returns triples with at least `count` facts together; `undefined` if all unprotected triples have fewer.
 */
export function keysToEvict(
  table: TripleTable,
  count: number,
  isProtected: (key: Key) => boolean,
): readonly Key[] | undefined {
  const rows: number[] = [];
  for (let row = 0; row < table.rowEnd; row += 1) {
    if (table.isUsed(row) && isNewest(table, row) && !isProtected(table.keyOf(row))) rows.push(row);
  }
  const keys: Key[] = [];
  let freed = 0;
  for (const row of firstSorted(rows, count, (a, b) => table.compareRows(a, b))) {
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
