/**
 * What `replaces` means for a new fact: the current facts with the same subject and predicate and another object
 * end when it begins. If a later one is stored already, the new fact ends when that begins. It changes nothing;
 * changes.ts does.
 */
import type { NewTriple, TripleKey } from '../model/triple.js';
import { nameOf, rowsOf, storedRow, validRow } from './fact-rows.js';
import { END } from './row-index.js';
import { type Key, type TripleTable, tripleOf } from './triple-table.js';

/** A fact that ends. */
interface ReplacedFact {
  readonly key: Key;
  readonly row: number;
  /** Epoch milliseconds. */
  readonly end: number;
}

/**
 * The earlier valid facts of the same subjects and predicates, except those of the request. The caller ends each
 * one before it takes the next.
 */
export function* replacedFacts(
  table: TripleTable,
  triples: readonly NewTriple[],
  now: number,
): Generator<ReplacedFact> {
  const named = new Map(triples.map((triple) => [nameOf(triple), triple.ts ?? now]));
  // The earliest first, because it is the one that ends a fact.
  for (const triple of [...triples].sort((a, b) => (a.ts ?? now) - (b.ts ?? now))) {
    if (triple.validTo !== undefined) continue;
    const end = triple.ts ?? now;
    for (const key of rowsOf(table, triple).map((row) => table.keyOf(row))) {
      const row = validRow(table, key, now);
      if (row === END || table.validTo(row) <= end) continue;
      if (beginsAfter(table, row, triple, end)) continue;
      if ((named.get(nameOf(tripleOf(table, row))) ?? Number.NEGATIVE_INFINITY) < end)
        yield { key, row, end };
    }
  }
}

/**
 * The triples. If a later value of the same subject and predicate is stored already, the triple ends when
 * that value begins: a fact of the past does not end a later one.
 */
export function endedByLater(
  table: TripleTable,
  triples: readonly NewTriple[],
  now: number,
): NewTriple[] {
  return triples.map((triple) => {
    if (triple.validTo !== undefined || storedRow(table, triple, now) !== END) return triple;
    const start = triple.ts ?? now;
    const others = triples.filter(isOtherValueOf(triple)).map(({ ts = now }) => ts);
    const later = [...laterStarts(table, triple, start), ...others.filter((ts) => ts > start)];
    return later.length === 0 ? triple : { ...triple, ts: start, validTo: Math.min(...later) };
  });
}

/** When the later values of the subject and predicate of a triple begin. Those with an empty time do not count. */
function laterStarts(table: TripleTable, triple: NewTriple, start: number): number[] {
  return rowsOf(table, triple)
    .filter((row) => table.validTo(row) > table.ts(row) && beginsAfter(table, row, triple, start))
    .map((row) => tripleOf(table, row))
    .filter(isOtherValueOf(triple))
    .map(({ ts }) => ts);
}

/**
 * Whether the fact of the row begins after the triple, which begins at `start`. If the clock was set back, a
 * fact that had begun when it was stored does not begin after one that begins now.
 */
function beginsAfter(table: TripleTable, row: number, { ts }: NewTriple, start: number): boolean {
  const own = table.ts(row);
  return own > start && (ts !== undefined || own > table.operationOf(row).at);
}

const isOtherValueOf =
  ({ subject, predicate, object }: TripleKey) =>
  (other: TripleKey) =>
    other.subject === subject && other.predicate === predicate && other.object !== object;
