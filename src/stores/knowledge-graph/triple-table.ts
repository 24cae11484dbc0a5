/**
 * The graph in memory: one row a fact, open or closed, in columns of numbers, with the rows of each
 * subject, predicate, object and triple as chains. Texts are numbers of `Terms`.
 *
 * A triple whose only operation is one addition is its row and nothing else; every other triple,
 * deleted ones among them, has its operations beside the rows (`histories`), which follow from them
 * by `fold`.
 */
import { Chains, END } from './chains.js';
import { compareOperations, fold, withOperation } from './fold.js';
import { Terms } from './terms.js';
import type { Operation, Origin } from './triple.js';

/** A triple by the numbers of its parts. */
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
  readonly bySubject = new Chains();
  readonly byPredicate = new Chains();
  readonly byObject = new Chains();
  /** Of everything that is not one addition, by the numbers of the parts. */
  readonly #histories = new Map<string, History>();
  #byKey = new Chains();
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

  /** Facts that are stored, closed ones among them. */
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

  /** Infinity for an open fact. */
  validTo(row: number): number {
    return this.#validTo[row] ?? 0;
  }

  /** Half of the operation's id: tells whether a row is still the same fact's. */
  mark(row: number): number {
    return this.#los[row] ?? 0;
  }

  origin(row: number): Origin | undefined {
    return this.#origins.get(row);
  }

  /** In the order in which facts came to hold; never 0 for two rows. */
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

  /** Makes room for so many facts at once; worth it before a snapshot is read. */
  reserve(count: number): void {
    while (this.#keyMask < count) this.#keyMask = 2 * this.#keyMask + 1;
    this.#spread();
    while (this.#ts.length < count) this.#grow();
  }

  /** The next fact of this triple from `row` on (first: `firstOf`), or `END`. */
  firstOf(key: Key): number {
    return this.#matching(key, this.#byKey.first(this.#bucketOf(key)));
  }

  nextOf(key: Key, row: number): number {
    return this.#matching(key, this.#byKey.next(row));
  }

  /** The open fact of this triple, or `END`. */
  openRow(key: Key): number {
    for (let row = this.firstOf(key); row !== END; row = this.nextOf(key, row)) {
      if (this.validTo(row) === Number.POSITIVE_INFINITY) return row;
    }
    return END;
  }

  /** The last operation on this triple, which every later one must follow. */
  lastOperation(key: Key): Operation | undefined {
    const history = this.#historyOf(key);
    if (history !== undefined) return history.operations.at(-1);
    const row = this.firstOf(key);
    return row === END ? undefined : this.operationOf(row);
  }

  /** The addition that a row stands for. */
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

  /** Takes one operation in, at whatever time it comes; false where it changes nothing. */
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

  /** Whether an operation was taken in and still counts. */
  holds(key: Key, operation: Operation): boolean {
    return this.operationsOf(key)?.some((other) => isSameOperation(other, operation)) ?? false;
  }

  /** Forgets deletions from before `time`: nothing older can come back by then. */
  forgetDeletions(time: number): void {
    for (const [name, { operations }] of this.#histories) {
      const [only] = operations;
      if (operations.length === 1 && only?.kind === 'delete' && only.at < time) {
        this.#histories.delete(name);
      }
    }
  }

  /** Every triple that anything is known of, once: those with several facts or none come last. */
  *keys(): Generator<Key> {
    for (let row = 0; row < this.#end; row += 1) {
      if (!this.isUsed(row)) continue;
      const key = this.keyOf(row);
      if (this.#historyOf(key) === undefined) yield key;
    }
    yield* this.#histories.values();
  }

  /** All that still counts of a triple, sorted; `undefined` where nothing was ever heard of it. */
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
    this.#subjects = grown(this.#subjects, new Uint32Array(length));
    this.#predicates = grown(this.#predicates, new Uint32Array(length));
    this.#objects = grown(this.#objects, new Uint32Array(length));
    this.#his = grown(this.#his, new Uint32Array(length));
    this.#los = grown(this.#los, new Uint32Array(length));
    this.#ats = grown(this.#ats, new Float64Array(length));
    this.#ts = grown(this.#ts, new Float64Array(length));
    this.#validTo = grown(this.#validTo, new Float64Array(length));
  }

  /** Puts each row into the bucket where it belongs now. */
  #spread(): void {
    this.#byKey = new Chains(this.#keyMask + 1);
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

/** Whether two records say the same of one operation. */
export const isSameOperation = (a: Operation, b: Operation): boolean =>
  compareOperations(a, b) === 0;

const nameOf = ({ s, p, o }: Key) => `${s} ${p} ${o}`;

function grown<T extends Uint32Array | Float64Array>(old: T, larger: T): T {
  larger.set(old);
  return larger;
}
