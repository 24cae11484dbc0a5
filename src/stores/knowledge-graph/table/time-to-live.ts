/**
 * Finds the triples that have expired: those whose facts are all older than the time to live. changes.ts
 * (`#expire`) deletes them.
 */
import { hasExpired } from '../model/triple.js';
import { END } from './row-index.js';
import type { Key, TripleTable } from './triple-table.js';

/** Whether all facts of the triple are older than `time`. */
export function haveAllExpired(table: TripleTable, key: Key, time: number): boolean {
  for (let row = table.firstOf(key); row !== END; row = table.nextOf(key, row)) {
    if (!hasExpired(table.ts(row), time)) return false;
  }
  return true;
}

/** Yields the triples that have expired. The caller may delete each before it takes the next one. */
export function* expiredKeys(table: TripleTable, time: number): Generator<Key> {
  for (let row = 0; row < table.rowEnd; row += 1) {
    if (!table.isUsed(row) || !hasExpired(table.ts(row), time)) continue;
    const key = table.keyOf(row);
    if (haveAllExpired(table, key, time)) yield key;
  }
}
