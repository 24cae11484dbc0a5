/**
 * Questions to the table: filters in any combination, neighbours, subjects. Reads only, works on
 * numbers, and makes texts only of what is given back.
 */

import { type Chains, END } from './chains.js';
import { findKey, tripleOf } from './changes.js';
import { isHeld } from './fold.js';
import { topRows } from './top-rows.js';
import { hasExpired, type Triple, type TripleKey } from './triple.js';
import type { TripleTable } from './triple-table.js';

/** When a fact must hold to be seen. Times are epoch milliseconds. */
export interface Sight {
  /** What held at this time; without it, what holds now as far as anybody said. */
  readonly asOf?: number | undefined;
  /** Also what has ended. */
  readonly includeClosed?: boolean | undefined;
}

/** When it is asked. Epoch milliseconds. */
export interface Present {
  readonly now: number;
  /** What is older has expired, whatever is asked. */
  readonly notBefore: number;
}

export interface TripleFilter extends Sight {
  readonly subject?: string | undefined;
  readonly predicate?: string | undefined;
  readonly object?: string | undefined;
  /** The parts given need only begin like that. */
  readonly prefix?: boolean | undefined;
  /** Every word of it occurs somewhere in the three, in whatever case. */
  readonly text?: string | undefined;
  /** Bounds of `ts`, both inclusive. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
}

export interface Page {
  readonly offset: number;
  readonly limit: number;
  /** By `ts`; oldest first unless it says otherwise, so that pages stay as they are while facts come. */
  readonly order?: 'oldest' | 'newest' | undefined;
}

export interface Triples {
  /** All matches, on whatever page. */
  readonly total: number;
  readonly triples: readonly Triple[];
}

export function queryTriples(
  table: TripleTable,
  filter: TripleFilter,
  present: Present,
  page: Page,
): Triples {
  const whole = isExact(filter) ? filter : undefined;
  const rows = whole ? exactRows(table, whole, present) : matchingRows(table, filter, present);
  const { offset, limit, order } = page;
  const direction = order === 'newest' ? -1 : 1;
  const compare = (a: number, b: number) => direction * table.compareRows(a, b);
  const total = rows.length;
  const chosen = total > 1 ? topRows(rows, offset + limit, compare) : rows;
  const triples: Triple[] = [];
  for (let index = offset; index < Math.min(offset + limit, chosen.length); index += 1) {
    triples.push(tripleOf(table, chosen[index] ?? END, whole));
  }
  return { total, triples };
}

type ExactFilter = TripleFilter & TripleKey;

/** A whole triple and nothing else: the question that is asked most. */
function isExact(filter: TripleFilter): filter is ExactFilter {
  const { subject, predicate, object, prefix, text, since, until } = filter;
  const isWhole = subject !== undefined && predicate !== undefined && object !== undefined;
  return isWhole && !prefix && text === undefined && since === undefined && until === undefined;
}

function exactRows(table: TripleTable, filter: ExactFilter, present: Present): number[] {
  const rows: number[] = [];
  const key = findKey(table, filter);
  if (key === undefined) return rows;
  for (let row = table.firstOf(key); row !== END; row = table.nextOf(key, row)) {
    if (isSeen(table, row, filter, present)) rows.push(row);
  }
  return rows;
}

/** All rows that a filter lets through, in no promised order. */
export function matchingRows(table: TripleTable, filter: TripleFilter, present: Present): number[] {
  const tests = rowTests(table, filter);
  if (tests === undefined) return [];
  const isVisible = sightOf(table, filter, present);
  const rows: number[] = [];
  for (const row of candidates(table, filter)) {
    if (isVisible(row) && tests.every((isMatch) => isMatch(row))) rows.push(row);
  }
  return rows;
}

type RowTest = (row: number) => boolean;

export function sightOf(table: TripleTable, sight: Sight, present: Present): RowTest {
  return (row) => isSeen(table, row, sight, present);
}

function isSeen(
  table: TripleTable,
  row: number,
  { asOf, includeClosed = false }: Sight,
  { now, notBefore }: Present,
): boolean {
  if (hasExpired(table.ts(row), notBefore)) return false;
  if (asOf !== undefined) return table.ts(row) <= asOf && table.validTo(row) > asOf;
  return includeClosed || isHeld(table.ts(row), table.validTo(row), now);
}

/** `undefined` where a part that must be there is unknown. */
function rowTests(table: TripleTable, filter: TripleFilter): RowTest[] | undefined {
  const { prefix = false, text, since, until } = filter;
  const tests: RowTest[] = [];
  for (const { chain, part, of } of partsOf(table, filter)) {
    if (prefix) {
      const isMatch = termsWhere(table, startsWith(table, part));
      tests.push((row) => isMatch[of(row)] === 1);
    } else {
      const term = table.terms.find(part);
      if (term === END || chain.count(term) === 0) return undefined;
      tests.push((row) => of(row) === term);
    }
  }
  for (const word of wordsOf(text)) {
    const has = termsWhere(table, includes(table, word));
    tests.push(
      (row) =>
        (has[table.subject(row)] || has[table.predicate(row)] || has[table.object(row)]) === 1,
    );
  }
  if (since !== undefined) tests.push((row) => table.ts(row) >= since);
  if (until !== undefined) tests.push((row) => table.ts(row) <= until);
  return tests;
}

function partsOf(table: TripleTable, { subject, predicate, object }: TripleFilter) {
  const all: { chain: Chains; part: string | undefined; of: (row: number) => number }[] = [
    { chain: table.bySubject, part: subject, of: (row) => table.subject(row) },
    { chain: table.byPredicate, part: predicate, of: (row) => table.predicate(row) },
    { chain: table.byObject, part: object, of: (row) => table.object(row) },
  ];
  return all.flatMap(({ chain, part, of }) => (part === undefined ? [] : [{ chain, part, of }]));
}

/** The rows of the rarest part that is named exactly, else all rows. */
function* candidates(table: TripleTable, filter: TripleFilter): Generator<number> {
  const named = filter.prefix ? [] : partsOf(table, filter);
  const [rarest] = named
    .map(({ chain, part }) => ({ chain, term: table.terms.find(part) }))
    .sort((a, b) => a.chain.count(a.term) - b.chain.count(b.term));
  if (rarest !== undefined) {
    const { chain, term } = rarest;
    for (let row = chain.first(term); row !== END; row = chain.next(row)) yield row;
    return;
  }
  for (let row = 0; row < table.rowEnd; row += 1) if (table.isUsed(row)) yield row;
}

/** One byte a term: cheaper than asking again for every row. */
function termsWhere({ terms }: TripleTable, isMatch: (term: number) => boolean): Uint8Array {
  const found = new Uint8Array(terms.count);
  for (let term = 0; term < found.length; term += 1) if (isMatch(term)) found[term] = 1;
  return found;
}

function startsWith({ terms }: TripleTable, part: string): (term: number) => boolean {
  const bytes = Buffer.from(part);
  return (term) => terms.startsWith(term, bytes);
}

/** `word`: folded. Most texts are ASCII, and need not be made for that. */
function includes({ terms }: TripleTable, word: string): (term: number) => boolean {
  const bytes = Buffer.from(word);
  return (term) => terms.includesAscii(term, bytes) ?? folded(terms.text(term)).includes(word);
}

const folded = (text: string) => text.normalize('NFKC').toLowerCase();

const wordsOf = (text = '') =>
  folded(text)
    .split(/\s+/)
    .filter((word) => word !== '');

export interface SubjectCount {
  readonly subject: string;
  readonly facts: number;
}

/** Subjects of facts that are seen, in the order of their bytes. */
export function listSubjects(
  table: TripleTable,
  { prefix = '', ...sight }: Sight & { readonly prefix?: string | undefined },
  present: Present,
  { offset, limit }: Page,
): { total: number; subjects: readonly SubjectCount[] } {
  const isVisible = sightOf(table, sight, present);
  const isMatch = startsWith(table, prefix);
  const counts = new Map<number, number>();
  for (let term = 0; term < table.terms.count; term += 1) {
    if (table.bySubject.count(term) === 0 || !isMatch(term)) continue;
    let facts = 0;
    for (const row of chainRows(table.bySubject, term)) if (isVisible(row)) facts += 1;
    if (facts > 0) counts.set(term, facts);
  }
  const compare = (a: number, b: number) => table.terms.compare(a, b);
  const page = topRows([...counts.keys()], offset + limit, compare).slice(offset, offset + limit);
  return {
    total: counts.size,
    subjects: page.map((term) => ({
      subject: table.terms.text(term),
      facts: counts.get(term) ?? 0,
    })),
  };
}

export function* chainRows(chain: Chains, key: number): Generator<number> {
  for (let row = chain.first(key); row !== END; row = chain.next(row)) yield row;
}
