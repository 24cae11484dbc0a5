/** Finds the facts around a node by breadth-first search, so that near facts come first. */

import {
  isVisible,
  type Page,
  type QueryTime,
  rowsOfKey,
  type Triples,
  termsOf,
  type VisibilityFilter,
} from './graph-query.js';
import { type TripleTable, tripleOf } from './triple-table.js';

/** The maximum number of facts of a walk. */
const MAX_FACTS = 100_000;

export interface Walk extends VisibilityFilter {
  /** The maximum number of steps from the node. */
  readonly depth: number;
  /** `out`: facts with the node as their subject; `in`: facts with the node as their object. */
  readonly direction: 'out' | 'in' | 'both';
  /** Follows only facts with this predicate. */
  readonly predicate?: string | undefined;
}

export interface Neighborhood extends Triples {
  /** The subjects and objects of the facts on this page, with their distance from the node in steps. */
  readonly nodes: readonly { readonly node: string; readonly depth: number }[];
  /** True if the search ended at 100 000 facts. Then `total` is the number of facts that were found. */
  readonly isCut: boolean;
}

export function walkFrom(
  table: TripleTable,
  node: string,
  walk: Walk,
  time: QueryTime,
  { offset, limit }: Page,
): Neighborhood {
  const depths = new Map<number, number>(termsOf(table, node).map((start) => [start, 0]));
  const rows = new Set<number>();
  for (const [term, depth] of depths) {
    if (depth === walk.depth || rows.size > MAX_FACTS) break;
    for (const row of around(table, term, walk, time)) {
      rows.add(row);
      const other = table.subject(row) === term ? table.object(row) : table.subject(row);
      if (!depths.has(other)) depths.set(other, depth + 1);
    }
  }
  const page = [...rows].slice(offset, offset + limit);
  const ends = new Set(page.flatMap((row) => [table.subject(row), table.object(row)]));
  return {
    total: rows.size,
    triples: page.map((row) => tripleOf(table, row)),
    nodes: [...ends].map((term) => ({
      node: table.terms.text(term),
      depth: depths.get(term) ?? 0,
    })),
    isCut: rows.size > MAX_FACTS,
  };
}

/** Returns the facts of one node, sorted by their start. */
function around(table: TripleTable, term: number, walk: Walk, time: QueryTime): number[] {
  const { direction, predicate } = walk;
  const labels = predicate === undefined ? undefined : termsOf(table, predicate);
  const rows: number[] = [];
  const take = (row: number) => {
    const isLabelled = labels?.includes(table.predicate(row)) ?? true;
    if (isLabelled && isVisible(table, row, walk, time)) rows.push(row);
  };
  if (direction !== 'in') for (const row of rowsOfKey(table.bySubject, term)) take(row);
  if (direction !== 'out') for (const row of rowsOfKey(table.byObject, term)) take(row);
  return rows.sort((a, b) => table.compareRows(a, b));
}
