/**
 * From what callers ask for to operations: what is there already is left out, the limit is kept, and
 * every operation gets a time and an id after all that was done to its triple before. Works on the
 * table alone, under the lock, and takes each operation in at once.
 */
import type { Clock } from '../../base/clock.js';
import { AppError } from '../../base/errors.js';
import { randomHex } from '../../base/ids.js';
import { END } from './chains.js';
import { isHeld } from './fold.js';
import { oldestKeys } from './oldest.js';
import { encodeOperation } from './operation-line.js';
import {
  hasExpired,
  type NewTriple,
  type Operation,
  type OperationId,
  originOf,
  type Triple,
  type TripleKey,
} from './triple.js';
import type { Key, TripleTable } from './triple-table.js';

const OPEN = Number.POSITIVE_INFINITY;
const DAY_MS = 24 * 60 * 60 * 1000;
const COUNTER_BITS = 24;

export interface AddRequest {
  readonly kind: 'add';
  readonly triples: readonly NewTriple[];
  /** Closes what holds of the same subject and predicate. */
  readonly replaces: boolean;
  /** What is to fit: `triples`, and what is to follow them. */
  readonly room: readonly NewTriple[];
}

export interface RemoveRequest {
  readonly kind: 'delete' | 'close';
  readonly keys: readonly TripleKey[];
  /** When closed facts ended; now where it is not given. */
  readonly validTo?: number | undefined;
}

/** Deletes what has expired. */
export interface ExpireRequest {
  readonly kind: 'expire';
}

export type ChangeRequest = AddRequest | RemoveRequest | ExpireRequest;

export interface Change {
  /** Each triple as it is stored now (added) or was (deleted, closed), in the order of the request. */
  readonly triples: readonly (Triple & { readonly isChanged: boolean })[];
  /** What `replaces` closed. */
  readonly closed: readonly Triple[];
}

export interface Limits {
  readonly maxTriples: number;
  readonly evict: 'off' | 'oldest';
  /** Infinity where facts do not expire. */
  readonly ttlDays: number;
}

/** An operation that was taken into the table and has to be written. */
export interface Written {
  readonly key: Key;
  readonly names: TripleKey;
  readonly operation: Operation;
  readonly line: string;
}

export class Changes {
  readonly #limits: Limits;
  readonly #clock: Clock;
  #prefix: OperationId = newPrefix();
  #counter = 0;

  constructor(limits: Limits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Facts from before this time have expired. */
  get expiredBefore(): number {
    return this.#clock.now() - this.#limits.ttlDays * DAY_MS;
  }

  /** Puts what has to be written into `written`. E_KG_FULL: then nothing of the request was done. */
  carryOut(table: TripleTable, request: ChangeRequest, written: Written[]): Change {
    if (request.kind === 'add') return this.#add(table, request, written);
    if (request.kind !== 'expire') return this.#remove(table, request, written);
    this.#expire(table, written);
    return { triples: [], closed: [] };
  }

  #expire(table: TripleTable, written: Written[]): void {
    const time = this.expiredBefore;
    if (time === -OPEN) return;
    for (let row = 0; row < table.rowEnd; row += 1) {
      if (!table.isUsed(row) || !hasExpired(table.ts(row), time)) continue;
      const key = table.keyOf(row);
      if (haveAllExpired(table, key, time)) this.#delete(table, key, written);
    }
  }

  #add(table: TripleTable, { triples, replaces, room }: AddRequest, written: Written[]): Change {
    this.#dropExpired(table, triples, written);
    this.#makeRoom(table, room, written);
    const closed = replaces ? this.#replace(table, triples, written) : [];
    return { triples: triples.map((triple) => this.#addOne(table, triple, written)), closed };
  }

  /** What is learned again begins anew; else the old fact would be found, and expire again. */
  #dropExpired(table: TripleTable, triples: readonly NewTriple[], written: Written[]): void {
    const time = this.expiredBefore;
    if (time === -OPEN) return;
    for (const triple of triples) {
      const key = findKey(table, triple);
      if (key === undefined || table.firstOf(key) === END) continue;
      if (haveAllExpired(table, key, time)) this.#delete(table, key, written);
    }
  }

  #addOne(table: TripleTable, triple: NewTriple, written: Written[]) {
    const known = storedRow(table, triple, this.#clock.now());
    if (known !== END) return { ...tripleOf(table, known), isChanged: false };
    const key = internKey(table, triple);
    const { validTo = OPEN } = triple;
    const ts = triple.ts ?? Math.min(this.#clock.now(), validTo);
    const operation = this.#stamped(table, key, {
      kind: 'add',
      ts,
      validTo,
      origin: originOf(triple),
    });
    this.#apply(table, key, operation, triple, written);
    return { ...newTriple(triple, ts), isChanged: true };
  }

  /** What holds of the same subjects and predicates, but for what the request itself names. */
  #replace(table: TripleTable, triples: readonly NewTriple[], written: Written[]): Triple[] {
    const now = this.#clock.now();
    const named = new Set(triples.map(nameOf));
    const closed: Triple[] = [];
    for (const triple of triples) {
      if (triple.validTo !== undefined) continue;
      const [s, p] = [table.terms.find(triple.subject), table.terms.find(triple.predicate)];
      const wanted = triple.ts ?? now;
      for (const key of rowsOf(table, s, p).map((row) => table.keyOf(row))) {
        const row = heldRow(table, key, now);
        if (row === END || table.validTo(row) <= wanted) continue;
        const old = tripleOf(table, row);
        if (named.has(nameOf(old))) continue;
        const { validTo } = this.#close(table, key, row, wanted, written);
        closed.push({ ...old, validTo });
      }
    }
    return closed;
  }

  #remove(table: TripleTable, request: RemoveRequest, written: Written[]): Change {
    const { kind, keys, validTo } = request;
    const now = this.#clock.now();
    const triples = keys.map((named) => {
      const key = findKey(table, named);
      const find = kind === 'close' ? heldRow : lastRow;
      const row = key === undefined ? END : find(table, key, now);
      if (key === undefined || row === END) return { ...keyOf(named), ts: 0, isChanged: false };
      const before = tripleOf(table, row);
      if (kind === 'delete') {
        this.#delete(table, key, written);
        return { ...before, isChanged: true };
      }
      return {
        ...before,
        ...this.#close(table, key, row, validTo ?? now, written),
        isChanged: true,
      };
    });
    return { triples, closed: [] };
  }

  #delete(table: TripleTable, key: Key, written: Written[]): void {
    const operation = this.#stamped(table, key, { kind: 'delete' });
    this.#apply(table, key, operation, namesOf(table, key), written);
  }

  #close(table: TripleTable, key: Key, row: number, wanted: number, written: Written[]) {
    const validTo = Math.max(wanted, table.ts(row));
    const operation = this.#stamped(table, key, { kind: 'close', validTo });
    this.#apply(table, key, operation, namesOf(table, key), written);
    return { validTo };
  }

  #apply(
    table: TripleTable,
    key: Key,
    operation: Operation,
    names: TripleKey,
    written: Written[],
  ): void {
    table.apply(key, operation);
    written.push({ key, names, operation, line: `\n${encodeOperation(names, operation)}` });
  }

  /** After every operation on this triple, whatever the clock says. */
  #stamped(
    table: TripleTable,
    key: Key,
    what: Pick<Operation, 'kind'> & Partial<Operation>,
  ): Operation {
    const id = this.#nextId();
    const last = table.lastOperation(key);
    let at = Math.max(this.#clock.now(), last?.at ?? 0);
    if (last?.at === at && (id.hi - last.hi || id.lo - last.lo) <= 0) at += 1;
    return { ts: at, validTo: OPEN, origin: undefined, ...what, at, ...id };
  }

  #nextId(): OperationId {
    if (this.#counter === 2 ** COUNTER_BITS) {
      this.#prefix = newPrefix();
      this.#counter = 0;
    }
    const { hi, lo } = this.#prefix;
    const id = { hi, lo: lo + this.#counter };
    this.#counter += 1;
    return id;
  }

  #makeRoom(table: TripleTable, triples: readonly NewTriple[], written: Written[]): void {
    const { maxTriples, evict } = this.#limits;
    const now = this.#clock.now();
    if (table.count + triples.length <= maxTriples) return;
    if (table.count + countNew(table, triples, now) <= maxTriples) return;
    this.#expire(table, written);
    const needed = countNew(table, triples, now);
    const excess = table.count + needed - maxTriples;
    if (needed === 0 || excess <= 0) return;
    const kept = new Set(triples.map(nameOf));
    const isKept = (key: Key) => kept.has(nameOf(namesOf(table, key)));
    const oldest = evict === 'off' ? undefined : oldestKeys(table, excess, isKept);
    if (oldest === undefined) throw full(table.count, needed, maxTriples);
    for (const key of oldest) this.#delete(table, key, written);
  }
}

/** The fact of a row as callers see it. */
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
    ...(validTo !== OPEN && { validTo }),
    ...table.origin(row),
  };
}

/** The numbers of a triple's parts; `undefined` where one of them was never heard of. */
export function findKey({ terms }: TripleTable, { subject, predicate, object }: TripleKey) {
  const key = { s: terms.find(subject), p: terms.find(predicate), o: terms.find(object) };
  return key.s === END || key.p === END || key.o === END ? undefined : key;
}

function internKey({ terms }: TripleTable, { subject, predicate, object }: TripleKey): Key {
  return { s: terms.intern(subject), p: terms.intern(predicate), o: terms.intern(object) };
}

function namesOf({ terms }: TripleTable, { s, p, o }: Key): TripleKey {
  return { subject: terms.text(s), predicate: terms.text(p), object: terms.text(o) };
}

const keyOf = ({ subject, predicate, object }: TripleKey) => ({ subject, predicate, object });

function newTriple(triple: NewTriple, ts: number): Triple {
  const { validTo } = triple;
  return { ...keyOf(triple), ts, ...(validTo !== undefined && { validTo }), ...originOf(triple) };
}

/** The row that already says what the triple says, or `END`. */
function storedRow(table: TripleTable, triple: NewTriple, now: number): number {
  const key = findKey(table, triple);
  if (key === undefined) return END;
  if (triple.validTo === undefined) {
    const row = heldRow(table, key, now);
    // One that held only before, or after, says nothing of this time.
    return row === END || isHeldAt(table, row, triple.ts ?? now) ? row : END;
  }
  for (let row = table.firstOf(key); row !== END; row = table.nextOf(key, row)) {
    // Without a time of its own it began whenever it was first told.
    const isSameStart = triple.ts === undefined || table.ts(row) === triple.ts;
    if (isSameStart && table.validTo(row) === triple.validTo) return row;
  }
  return END;
}

function countNew(table: TripleTable, triples: readonly NewTriple[], now: number): number {
  const names = new Set<string>();
  for (const triple of triples) {
    const { ts, validTo } = triple;
    if (storedRow(table, triple, now) !== END) continue;
    names.add(validTo === undefined ? nameOf(triple) : `${nameOf(triple)} ${ts} ${validTo}`);
  }
  return names.size;
}

/** The fact of a triple that can be closed now, or `END`: the open one, or one whose end is to come. */
function heldRow(table: TripleTable, key: Key, now: number): number {
  const open = table.openRow(key);
  if (open !== END) return open;
  let row = table.firstOf(key);
  while (row !== END && !isHeldAt(table, row, now)) row = table.nextOf(key, row);
  return row;
}

function isHeldAt(table: TripleTable, row: number, time: number): boolean {
  return isHeld(table.ts(row), table.validTo(row), time);
}

/** The newest fact of a triple. */
function lastRow(table: TripleTable, key: Key): number {
  let last = table.firstOf(key);
  for (let row = last; row !== END; row = table.nextOf(key, row)) {
    if (table.ts(row) > table.ts(last)) last = row;
  }
  return last;
}

function haveAllExpired(table: TripleTable, key: Key, time: number): boolean {
  for (let row = table.firstOf(key); row !== END; row = table.nextOf(key, row)) {
    if (!hasExpired(table.ts(row), time)) return false;
  }
  return true;
}

function rowsOf(table: TripleTable, s: number, p: number): number[] {
  const rows: number[] = [];
  if (s === END || p === END) return rows;
  for (let row = table.bySubject.first(s); row !== END; row = table.bySubject.next(row)) {
    if (table.predicate(row) === p) rows.push(row);
  }
  return rows;
}

const nameOf = ({ subject, predicate, object }: TripleKey) =>
  JSON.stringify([subject, predicate, object]);

function newPrefix(): OperationId {
  const digits = randomHex(5);
  return {
    hi: Number.parseInt(digits.slice(0, 8), 16),
    lo: Number.parseInt(digits.slice(8), 16) * 2 ** COUNTER_BITS,
  };
}

function full(stored: number, needed: number, limit: number): AppError {
  return new AppError(
    'E_KG_FULL',
    `The knowledge graph holds ${stored} triples, closed ones among them; ${needed} more would pass the limit of ${limit}. None was added.`,
    { details: { stored, needed, limit } },
  );
}
