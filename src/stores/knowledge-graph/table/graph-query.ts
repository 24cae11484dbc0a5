/**
 * Queries on the table: filters in any combination, and the list of subjects. They only read, work on
 * term ids, and build strings only for results.
 */

import { firstSorted } from '../../../base/arrays/top-k.js';
import { hasExpired, type Triple, type TripleKey } from '../model/triple.js';
import { isCurrent, isValidAt } from '../model/valid-time.js';
import { END, type RowIndex } from './row-index.js';
import { findKey, type TripleTable, tripleOf } from './triple-table.js';

/** The times at which a visible fact is valid. Times are epoch milliseconds. */
export interface VisibilityFilter {
  /** Facts that were valid at this time; without it, facts that are valid now. */
  readonly asOf?: number | undefined;
  /** Also facts that have ended. */
  readonly includeClosed?: boolean | undefined;
}

/** The time of the query. Epoch milliseconds. */
export interface QueryTime {
  readonly now: number;
  /** Older facts have expired and are never visible. */
  readonly notBefore: number;
}

export interface TripleFilter extends VisibilityFilter {
  readonly subject?: string | undefined;
  readonly predicate?: string | undefined;
  readonly object?: string | undefined;
  /** Subject, predicate and object are prefixes. */
  readonly prefix?: boolean | undefined;
  /** Every word of it must occur in one of the three parts; case and accents are ignored. */
  readonly text?: string | undefined;
  /** Bounds of `ts`, both inclusive. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
}

export interface Page {
  readonly offset: number;
  readonly limit: number;
  /** The order by `ts`. Default: oldest first, so that pages do not change while facts are added. */
  readonly order?: 'oldest' | 'newest' | undefined;
}

export interface Triples {
  /** The number of matches on all pages. */
  readonly total: number;
  readonly triples: readonly Triple[];
}

/** The results of `testedOnce`. */
const UNTESTED = 0;
const NO_MATCH = 1;
const IS_MATCH = 2;

export function queryTriples(
  table: TripleTable,
  filter: TripleFilter,
  time: QueryTime,
  page: Page,
): Triples {
  const whole = isExact(filter) ? filter : undefined;
  const rows = whole ? exactRows(table, whole, time) : matchingRows(table, filter, time);
  const { offset, limit, order } = page;
  const direction = order === 'newest' ? -1 : 1;
  const compare = (a: number, b: number) => direction * table.compareRows(a, b);
  const total = rows.length;
  const chosen = total > 1 ? firstSorted(rows, offset + limit, compare) : rows;
  const triples: Triple[] = [];
  for (let index = offset; index < Math.min(offset + limit, chosen.length); index += 1) {
    triples.push(tripleOf(table, chosen[index] ?? END, whole));
  }
  return { total, triples };
}

/** True if each given part can be stored in one form only, as most can. */
export const hasOneForm = ({ subject, predicate, object }: TripleFilter): boolean =>
  [subject, predicate, object].every((part) => part === undefined || namesFor(part).length === 1);

type ExactFilter = TripleFilter & TripleKey;

/** True for a whole triple without another condition, which is the most frequent query. */
function isExact(filter: TripleFilter): filter is ExactFilter {
  const { subject, predicate, object, prefix, text, since, until } = filter;
  const isWhole = subject !== undefined && predicate !== undefined && object !== undefined;
  return (
    isWhole &&
    !prefix &&
    hasOneForm(filter) &&
    text === undefined &&
    since === undefined &&
    until === undefined
  );
}

function exactRows(table: TripleTable, filter: ExactFilter, time: QueryTime): number[] {
  const rows: number[] = [];
  const key = findKey(table, filter);
  if (key === undefined) return rows;
  for (let row = table.firstOf(key); row !== END; row = table.nextOf(key, row)) {
    if (isVisible(table, row, filter, time)) rows.push(row);
  }
  return rows;
}

/** Returns all rows that match the filter, in no defined order. */
export function matchingRows(table: TripleTable, filter: TripleFilter, time: QueryTime): number[] {
  const tests = rowTests(table, filter);
  if (tests === undefined) return [];
  const rows: number[] = [];
  for (const row of candidates(table, filter)) {
    const isMatch = isVisible(table, row, filter, time) && tests.every((test) => test(row));
    if (isMatch) rows.push(row);
  }
  return rows;
}

type RowTest = (row: number) => boolean;

/** Whether a fact is visible at the time of the query. */
export function isVisible(
  table: TripleTable,
  row: number,
  { asOf, includeClosed = false }: VisibilityFilter,
  { now, notBefore }: QueryTime,
): boolean {
  if (hasExpired(table.ts(row), notBefore)) return false;
  if (asOf !== undefined) return isValidAt(table.ts(row), table.validTo(row), asOf);
  return includeClosed || isCurrent(table.ts(row), table.validTo(row), now);
}

/** Returns `undefined` if a required part is not interned, because then no row can match. */
function rowTests(table: TripleTable, filter: TripleFilter): RowTest[] | undefined {
  const { prefix = false, text, since, until } = filter;
  const tests: RowTest[] = [];
  for (const { index, part, of } of partsOf(table, filter)) {
    if (prefix) {
      const isMatch = testedOnce(table, startsWith(table, part));
      tests.push((row) => isMatch(of(row)));
    } else {
      const terms = termsOf(table, part).filter((term) => index.count(term) > 0);
      if (terms.length === 0) return undefined;
      tests.push((row) => terms.includes(of(row)));
    }
  }
  for (const word of wordsOf(text)) {
    const has = testedOnce(table, includes(table, word));
    tests.push(
      (row) => has(table.subject(row)) || has(table.predicate(row)) || has(table.object(row)),
    );
  }
  if (since !== undefined) tests.push((row) => table.ts(row) >= since);
  if (until !== undefined) tests.push((row) => table.ts(row) <= until);
  return tests;
}

function partsOf(table: TripleTable, { subject, predicate, object }: TripleFilter) {
  const all: { index: RowIndex; part: string | undefined; of: (row: number) => number }[] = [
    { index: table.bySubject, part: subject, of: (row) => table.subject(row) },
    { index: table.byPredicate, part: predicate, of: (row) => table.predicate(row) },
    { index: table.byObject, part: object, of: (row) => table.object(row) },
  ];
  return all.flatMap(({ index, part, of }) => (part === undefined ? [] : [{ index, part, of }]));
}

/** Yields the rows of the given part with the fewest rows; all rows if no exact part is given. */
function* candidates(table: TripleTable, filter: TripleFilter): Generator<number> {
  const named = filter.prefix ? [] : partsOf(table, filter);
  const [rarest] = named
    .map(({ index, part }) => {
      const terms = termsOf(table, part);
      return { index, terms, rows: terms.reduce((sum, term) => sum + index.count(term), 0) };
    })
    .sort((a, b) => a.rows - b.rows);
  if (rarest !== undefined) {
    for (const term of rarest.terms) yield* rowsOfKey(rarest.index, term);
    return;
  }
  for (let row = 0; row < table.rowEnd; row += 1) if (table.isUsed(row)) yield row;
}

/** The forms in which a text may be stored: as given, composed and decomposed (Unicode NFC and NFD). */
const formsOf = (text: string): string[] => [text, text.normalize('NFC'), text.normalize('NFD')];

/** The forms of a whole name. Outer spaces of the given name do not count, unless a stored name has them. */
const namesFor = (part: string): readonly string[] => [...new Set([part, ...formsOf(part.trim())])];

/** The ids of the terms that are this text in one of its forms. */
export const termsOf = ({ terms }: TripleTable, part: string): number[] =>
  namesFor(part)
    .map((form) => terms.find(form))
    .filter((term) => term !== END);

/**
 * Tests each term at most once (one byte per term), and only if a row that passed the tests before needs it.
 * So a word that no fact has costs one pass, however many words follow it.
 */
function testedOnce(
  { terms }: TripleTable,
  isMatch: (term: number) => boolean,
): (term: number) => boolean {
  let results: Uint8Array | undefined;
  return (term) => {
    results ??= new Uint8Array(terms.count);
    if (results[term] === UNTESTED) results[term] = isMatch(term) ? IS_MATCH : NO_MATCH;
    return results[term] === IS_MATCH;
  };
}

function startsWith({ terms }: TripleTable, part: string): (term: number) => boolean {
  const forms = formsOf(part).map((form) => Buffer.from(form));
  return (term) => forms.some((bytes) => terms.startsWith(term, bytes));
}

/** `word` must be `folded`. For ASCII terms, which are the most, no string is built. */
function includes({ terms }: TripleTable, word: string): (term: number) => boolean {
  const bytes = Buffer.from(word);
  return (term) => terms.includesAscii(term, bytes) ?? folded(terms.text(term)).includes(word);
}

const NOT_ASCII = /[^\0-\x7f]/;
/** Accents and the like. The marks of other scripts, such as those of kana, make another letter. */
const ACCENTS = /[\u0300-\u036f]/g;

/** Without case and accents, because people leave them out: `Süd` is found as `sud`, `Straße` as `strasse`. */
function folded(text: string): string {
  const lower = text.normalize('NFKC').toLowerCase();
  if (!NOT_ASCII.test(lower)) return lower;
  return lower.normalize('NFD').replace(ACCENTS, '').normalize('NFC').replaceAll('ß', 'ss');
}

/** Each word once, the longest first, because it is in the fewest facts. */
const wordsOf = (text = '') =>
  [...new Set(folded(text).split(/\s+/))]
    .filter((word) => word !== '')
    .sort((a, b) => b.length - a.length);

export interface SubjectCount {
  readonly subject: string;
  readonly facts: number;
}

/** Returns the subjects of visible facts, in the order of their UTF-8 bytes. */
export function listSubjects(
  table: TripleTable,
  { prefix = '', ...visibility }: VisibilityFilter & { readonly prefix?: string | undefined },
  time: QueryTime,
  { offset, limit }: Page,
): { total: number; subjects: readonly SubjectCount[] } {
  const isMatch = startsWith(table, prefix);
  const counts = new Map<number, number>();
  for (let term = 0; term < table.terms.count; term += 1) {
    if (table.bySubject.count(term) === 0 || !isMatch(term)) continue;
    let facts = 0;
    for (const row of rowsOfKey(table.bySubject, term)) {
      if (isVisible(table, row, visibility, time)) facts += 1;
    }
    if (facts > 0) counts.set(term, facts);
  }
  const compare = (a: number, b: number) => table.terms.compare(a, b);
  const page = firstSorted([...counts.keys()], offset + limit, compare).slice(
    offset,
    offset + limit,
  );
  return {
    total: counts.size,
    subjects: page.map((term) => ({
      subject: table.terms.text(term),
      facts: counts.get(term) ?? 0,
    })),
  };
}

export function* rowsOfKey(index: RowIndex, key: number): Generator<number> {
  for (let row = index.first(key); row !== END; row = index.next(row)) yield row;
}
