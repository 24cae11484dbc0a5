/**
 * The graph in memory: one row per fact, open or ended, in columns of numbers, with a row index for
 * each subject, predicate, object and triple. Strings are stored as term ids (terms.ts).
 *
 * The columns, the interned terms and the byte scanner of the log are needed for a million facts
 * (bench/kg.mjs). Objects in a Map would be simpler, and fast enough for about 100 000 facts.
 *
 * A triple whose only operation is one `add` is stored only as its row. For every other triple, also a
 * deleted one, `histories` has the operations, and `fold` computes the rows from them.
 */

import { withCapacity } from '../../../base/arrays/typed-array.js';
import { compareOperations, fold, withOperation } from '../model/fact-history.js';
import type { Operation, Origin, Triple, TripleKey } from '../model/triple.js';
import { END, RowIndex } from './row-index.js';
import { Terms } from './terms.js';

/** A triple as the term ids of its parts. */
export interface Key {
  readonly s: number;
  readonly p: number;
  readonly o: number;
}

export interface History extends Key {
  readonly operations: readonly Operation[];
}

const FREE = 0xffffffff;
const FIRST_CAPACITY = 1 << 10;

export class TripleTable {
  readonly terms = new Terms();
  readonly bySubject = new RowIndex();
  readonly byPredicate = new RowIndex();
  readonly byObject = new RowIndex();
  /** The operations of the triples that have more than one `add`, by their term ids. */
  readonly #histories = new Map<string, History>();
  #byKey = new RowIndex();
  #keyMask = FIRST_CAPACITY - 1;
  #subjects = new Uint32Array(FIRST_CAPACITY);
  #predicates = new Uint32Array(FIRST_CAPACITY);
  #objects = new Uint32Array(FIRST_CAPACITY);
  #ats = new Float64Array(FIRST_CAPACITY);
  #ts = new Float64Array(FIRST_CAPACITY);
  #validTo = new Float64Array(FIRST_CAPACITY);
  #his = new Uint32Array(FIRST_CAPACITY);
  #los = new Uint32Array(FIRST_CAPACITY);
  readonly #origins = new Map<number, Origin>();
  readonly #freeRows: number[] = [];
  #end = 0;
  #count = 0;

  /** The number of stored facts, with ended facts. */
  get count(): number {
    return this.#count;
  }

  /** Rows are below this number; not all of them are in use. */
  get rowEnd(): number {
    return this.#end;
  }

  get histories(): ReadonlyMap<string, History> {
    return this.#histories;
  }

  isUsed(row: number): boolean {
    return this.#subjects[row] !== FREE;
  }

  subject(row: number): number {
    return this.#subjects[row] ?? FREE;
  }

  predicate(row: number): number {
    return this.#predicates[row] ?? FREE;
  }

  object(row: number): number {
    return this.#objects[row] ?? FREE;
  }

  ts(row: number): number {
    return this.#ts[row] ?? 0;
  }

  /** Returns Infinity for an open fact. */
  validTo(row: number): number {
    return this.#validTo[row] ?? 0;
  }

  /** Returns half of the operation's id, which shows whether a row still has the same fact. */
  mark(row: number): number {
    return this.#los[row] ?? 0;
  }

  origin(row: number): Origin | undefined {
    return this.#origins.get(row);
  }

  /** Orders rows by the start of their facts. Never 0 for two different rows. */
  compareRows(a: number, b: number): number {
    return (
      this.ts(a) - this.ts(b) ||
      (this.#his[a] ?? 0) - (this.#his[b] ?? 0) ||
      (this.#los[a] ?? 0) - (this.#los[b] ?? 0) ||
      this.terms.compare(this.subject(a), this.subject(b)) ||
      this.terms.compare(this.predicate(a), this.predicate(b)) ||
      this.terms.compare(this.object(a), this.object(b)) ||
      this.validTo(a) - this.validTo(b)
    );
  }

  /** Allocates memory for `count` facts, before a snapshot is read. */
  reserve(count: number): void {
    while (this.#keyMask < count) this.#keyMask = 2 * this.#keyMask + 1;
    this.#spread();
    while (this.#ts.length < count) this.#grow();
  }

  /** Returns the first fact of this triple, or `END`. `nextOf` returns the next one. */
  firstOf(key: Key): number {
    return this.#matching(key, this.#byKey.first(this.#bucketOf(key)));
  }

  nextOf(key: Key, row: number): number {
    return this.#matching(key, this.#byKey.next(row));
  }

  /** Returns the open fact of this triple, or `END`. */
  openRow(key: Key): number {
    for (let row = this.firstOf(key); row !== END; row = this.nextOf(key, row)) {
      if (this.validTo(row) === Number.POSITIVE_INFINITY) return row;
    }
    return END;
  }

  /** Returns the last operation on this triple. A new operation must have a later time or a greater id. */
  lastOperation(key: Key): Operation | undefined {
    const history = this.#historyOf(key);
    if (history !== undefined) return history.operations.at(-1);
    const row = this.firstOf(key);
    return row === END ? undefined : this.operationOf(row);
  }

  /** Returns the time of the last deletion of this triple; -Infinity if none is known. */
  deletedAt(key: Key): number {
    const first = this.#historyOf(key)?.operations[0]; // operations before a deletion are not kept
    return first?.kind === 'delete' ? first.at : Number.NEGATIVE_INFINITY;
  }

  /** Returns the `add` operation of a row. */
  operationOf(row: number): Operation {
    return {
      kind: 'add',
      at: this.#ats[row] ?? 0,
      hi: this.#his[row] ?? 0,
      lo: this.#los[row] ?? 0,
      ts: this.ts(row),
      validTo: this.validTo(row),
      origin: this.origin(row),
    };
  }

  keyOf(row: number): Key {
    return { s: this.subject(row), p: this.predicate(row), o: this.object(row) };
  }

  /** Applies one operation. The order of the calls has no effect. Returns false if it changes nothing. */
  apply(key: Key, operation: Operation): boolean {
    const operations = this.operationsOf(key);
    if (operations === undefined && operation.kind === 'add') {
      this.#insert(key, operation);
      return true;
    }
    const next = withOperation(operations ?? [], operation);
    if (next === undefined) return false;
    this.#replace(key, next);
    return true;
  }

  /** Whether an operation was applied and still has an effect. */
  holds(key: Key, operation: Operation): boolean {
    return (
      this.operationsOf(key)?.some((other) => compareOperations(other, operation) === 0) ?? false
    );
  }

  /** Removes deletions (tombstones) that are older than `time`. */
  forgetDeletions(time: number): void {
    for (const [name, { operations }] of this.#histories) {
      const [only] = operations;
      if (operations.length === 1 && only?.kind === 'delete' && only.at < time) {
        this.#histories.delete(name);
      }
    }
  }

  /** Yields every known triple once. Triples with a history come last. */
  *keys(): Generator<Key> {
    for (let row = 0; row < this.#end; row += 1) {
      if (!this.isUsed(row)) continue;
      const key = this.keyOf(row);
      if (this.#historyOf(key) === undefined) yield key;
    }
    yield* this.#histories.values();
  }

  /** Returns the operations on a triple that still have an effect, sorted; `undefined` if there are none. */
  operationsOf(key: Key): readonly Operation[] | undefined {
    const history = this.#historyOf(key);
    if (history !== undefined) return history.operations;
    const row = this.firstOf(key);
    return row === END ? undefined : [this.operationOf(row)];
  }

  #replace(key: Key, operations: readonly Operation[]): void {
    for (let row = this.firstOf(key); row !== END; row = this.firstOf(key)) this.#remove(key, row);
    for (const version of fold(operations)) this.#insert(key, version);
    const isSimple = operations.length === 1 && operations[0]?.kind === 'add';
    if (isSimple) this.#histories.delete(nameOf(key));
    else this.#histories.set(nameOf(key), { ...key, operations });
  }

  #historyOf(key: Key): History | undefined {
    return this.#histories.size === 0 ? undefined : this.#histories.get(nameOf(key));
  }

  #matching(key: Key, from: number): number {
    let row = from;
    while (row !== END && !this.#isOf(key, row)) row = this.#byKey.next(row);
    return row;
  }

  #isOf({ s, p, o }: Key, row: number): boolean {
    return this.#subjects[row] === s && this.#objects[row] === o && this.#predicates[row] === p;
  }

  #insert(key: Key, { at, hi, lo, ts, validTo, origin }: Operation): void {
    const row = this.#freeRows.pop() ?? this.#newRow();
    this.#subjects[row] = key.s;
    this.#predicates[row] = key.p;
    this.#objects[row] = key.o;
    this.#ats[row] = at;
    this.#his[row] = hi;
    this.#los[row] = lo;
    this.#ts[row] = ts;
    this.#validTo[row] = validTo;
    if (origin !== undefined) this.#origins.set(row, origin);
    this.#count += 1;
    this.bySubject.add(key.s, row);
    this.byPredicate.add(key.p, row);
    this.byObject.add(key.o, row);
    this.#byKey.add(this.#bucketOf(key), row);
    if (this.#count <= this.#keyMask) return;
    this.#keyMask = 2 * this.#keyMask + 1;
    this.#spread();
  }

  #remove(key: Key, row: number): void {
    this.bySubject.remove(key.s, row);
    this.byPredicate.remove(key.p, row);
    this.byObject.remove(key.o, row);
    this.#byKey.remove(this.#bucketOf(key), row);
    this.#subjects[row] = FREE;
    this.#origins.delete(row);
    this.#freeRows.push(row);
    this.#count -= 1;
  }

  #newRow(): number {
    if (this.#end === this.#ts.length) this.#grow();
    this.#end += 1;
    return this.#end - 1;
  }

  #grow(): void {
    const length = this.#ts.length * 2;
    this.#subjects = withCapacity(this.#subjects, length);
    this.#predicates = withCapacity(this.#predicates, length);
    this.#objects = withCapacity(this.#objects, length);
    this.#his = withCapacity(this.#his, length);
    this.#los = withCapacity(this.#los, length);
    this.#ats = withCapacity(this.#ats, length);
    this.#ts = withCapacity(this.#ts, length);
    this.#validTo = withCapacity(this.#validTo, length);
  }

  /** Rebuilds the hash buckets for the new mask. */
  #spread(): void {
    this.#byKey = new RowIndex(this.#keyMask + 1);
    for (let row = this.#end - 1; row >= 0; row -= 1) {
      if (this.isUsed(row)) this.#byKey.add(this.#bucketOf(this.keyOf(row)), row);
    }
  }

  #bucketOf({ s, p, o }: Key): number {
    let hash = Math.imul(s, 0x9e3779b1) ^ Math.imul(p + 0x7f4a7c15, 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) ^ Math.imul(o, 0xc2b2ae35);
    return ((hash ^ (hash >>> 14)) >>> 0) & this.#keyMask;
  }
}

/** Returns the fact of a row as a `Triple`. */
export function tripleOf(
  table: TripleTable,
  row: number,
  { subject, predicate, object }: TripleKey = namesOf(table, table.keyOf(row)),
): Triple {
  const validTo = table.validTo(row);
  return {
    subject,
    predicate,
    object,
    ts: table.ts(row),
    ...(validTo !== Number.POSITIVE_INFINITY && { validTo }),
    ...table.origin(row),
  };
}

/** Returns the term ids of a triple; `undefined` if a term is not interned. */
export function findKey({ terms }: TripleTable, { subject, predicate, object }: TripleKey) {
  const key = { s: terms.find(subject), p: terms.find(predicate), o: terms.find(object) };
  return key.s === END || key.p === END || key.o === END ? undefined : key;
}

export function internKey({ terms }: TripleTable, { subject, predicate, object }: TripleKey): Key {
  return { s: terms.intern(subject), p: terms.intern(predicate), o: terms.intern(object) };
}

export function namesOf({ terms }: TripleTable, { s, p, o }: Key): TripleKey {
  return { subject: terms.text(s), predicate: terms.text(p), object: terms.text(o) };
}

const nameOf = ({ s, p, o }: Key) => `${s} ${p} ${o}`;
