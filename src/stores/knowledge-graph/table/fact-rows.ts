/** Finds the rows of a triple's facts: the stored one, the one that is valid now, the newest. */

import type { NewTriple, TripleKey } from '../model/triple.js';
import { isCurrent } from '../model/valid-time.js';
import { END } from './row-index.js';
import { findKey, type Key, type TripleTable } from './triple-table.js';

/** Returns the row that already stores the fact of this triple, or `END`. */
export function storedRow(table: TripleTable, triple: NewTriple, now: number): number {
  const key = findKey(table, triple);
  if (key === undefined) return END;
  if (triple.validTo === undefined) {
    const row = validRow(table, key, now);
    // A fact that was true only before or after this time is another fact.
    return row === END || isRowCurrent(table, row, triple.ts ?? now) ? row : END;
  }
  for (let row = table.firstOf(key); row !== END; row = table.nextOf(key, row)) {
    // A triple without a start time matches a stored fact with any start.
    const isSameStart = triple.ts === undefined || table.ts(row) === triple.ts;
    if (isSameStart && table.validTo(row) === triple.validTo) return row;
  }
  return END;
}

/**
 * Whether the graph has this triple of an import already: it has a fact with the same start, which may have
 * been ended since, or, with `leavesDeleted`, the triple was deleted after that start.
 */
export function isSettled(table: TripleTable, triple: NewTriple, leavesDeleted: boolean): boolean {
  const { ts } = triple;
  const key = ts === undefined ? undefined : findKey(table, triple);
  if (ts === undefined || key === undefined) return false;
  if (leavesDeleted && table.deletedAt(key) > ts) return true;
  if (triple.validTo !== undefined) return false;
  for (let row = table.firstOf(key); row !== END; row = table.nextOf(key, row)) {
    if (table.ts(row) === ts) return true;
  }
  return false;
}

/** Whether the triple has the end of a stored fact that is open: both have the same start. */
export function endsOpen(table: TripleTable, triple: NewTriple): boolean {
  const key = triple.validTo === undefined ? undefined : findKey(table, triple);
  const row = key === undefined ? END : table.openRow(key);
  return row !== END && table.ts(row) === triple.ts;
}

/** How many triples are not stored yet; those for which `isGone` returns true count too. */
export function countNew(
  table: TripleTable,
  triples: readonly NewTriple[],
  now: number,
  isGone: (triple: NewTriple) => boolean = () => false,
): number {
  const names = new Set<string>();
  for (const triple of triples) {
    const { ts, validTo } = triple;
    if (storedRow(table, triple, now) !== END && !isGone(triple)) continue;
    names.add(validTo === undefined ? nameOf(triple) : `${nameOf(triple)} ${ts} ${validTo}`);
  }
  return names.size;
}

/** Returns the fact that can be ended now, or `END`: the open fact, or one that ends in the future. */
export function validRow(table: TripleTable, key: Key, now: number): number {
  const open = table.openRow(key);
  if (open !== END) return open;
  let row = table.firstOf(key);
  while (row !== END && !isRowCurrent(table, row, now)) row = table.nextOf(key, row);
  return row;
}

function isRowCurrent(table: TripleTable, row: number, now: number): boolean {
  return isCurrent(table.ts(row), table.validTo(row), now);
}

/** Returns the newest fact of a triple, or `END`. */
export function lastRow(table: TripleTable, key: Key): number {
  let last = table.firstOf(key);
  for (let row = last; row !== END; row = table.nextOf(key, row)) {
    if (table.ts(row) > table.ts(last)) last = row;
  }
  return last;
}

/** The triple with the names of the graph, if these differ only in their Unicode form (NFC or NFD). */
export function withStoredNames<T extends TripleKey>({ terms }: TripleTable, triple: T): T {
  const stored = (name: string) =>
    [name, name.normalize('NFC'), name.normalize('NFD')].find((form) => terms.find(form) !== END) ??
    name;
  const [subject, predicate, object] = [triple.subject, triple.predicate, triple.object].map(
    stored,
  );
  return { ...triple, subject, predicate, object };
}

/** Returns the rows with the subject and the predicate of this triple. */
export function rowsOf(table: TripleTable, { subject, predicate }: TripleKey): number[] {
  const rows: number[] = [];
  const [s, p] = [table.terms.find(subject), table.terms.find(predicate)];
  if (s === END || p === END) return rows;
  for (let row = table.bySubject.first(s); row !== END; row = table.bySubject.next(row)) {
    if (table.predicate(row) === p) rows.push(row);
  }
  return rows;
}

/** Returns one text per triple, as a key for sets. */
export const nameOf = ({ subject, predicate, object }: TripleKey) =>
  JSON.stringify([subject, predicate, object]);
