/**
 * Converts requests to operations and applies them to the table. A fact that is stored already is skipped,
 * expired facts are deleted, and the limit is enforced. It changes only the table, under the lock;
 * graph-writer.ts writes the operations to the log.
 */

import { type Clock, DAY_MS } from '../../../base/clock.js';
import { AppError } from '../../../base/errors.js';
import { countOf } from '../../../base/text/display-text.js';
import { encodeOperation } from '../log/operation-line.js';
import {
  keyOf,
  type NewTriple,
  type Operation,
  originOf,
  type Triple,
  type TripleKey,
} from '../model/triple.js';
import type {
  AddRequest,
  Change,
  ChangeRequest,
  Limits,
  PendingOperation,
  RemoveRequest,
} from './change-types.js';
import { keysToEvict } from './eviction.js';
import {
  countNew,
  endsOpen,
  isSettled,
  lastRow,
  nameOf,
  storedRow,
  validRow,
  withStoredNames,
} from './fact-rows.js';
import { OperationStamps } from './operation-stamps.js';
import { endedByLater, replacedFacts } from './replaced-facts.js';
import { END } from './row-index.js';
import { expiredKeys, haveAllExpired } from './time-to-live.js';
import {
  findKey,
  internKey,
  type Key,
  namesOf,
  type TripleTable,
  tripleOf,
} from './triple-table.js';

const OPEN = Number.POSITIVE_INFINITY;

export class Changes {
  readonly #limits: Limits;
  readonly #clock: Clock;
  readonly #stamps: OperationStamps;

  constructor(limits: Limits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
    this.#stamps = new OperationStamps(clock);
  }

  /** Facts that are older than this time have expired. */
  get expiredBefore(): number {
    return this.#clock.now() - this.#limits.ttlDays * DAY_MS;
  }

  /** Adds the operations to `pending`, which must be written. E_KG_FULL; then no fact was added. */
  applyRequest(table: TripleTable, request: ChangeRequest, pending: PendingOperation[]): Change {
    if (request.kind === 'add') {
      // An import stores names as they are, so that an export of its facts is the same again.
      if (request.isImport) return this.#addImported(table, request, pending);
      const [triples, mustFit] = [request.triples, request.mustFit].map((each) =>
        each.map((triple) => withStoredNames(table, triple)),
      ) as [NewTriple[], NewTriple[]];
      return this.#add(table, { ...request, triples, mustFit }, pending);
    }
    if (request.kind !== 'expire') return this.#remove(table, request, pending);
    this.#expire(table, pending);
    return { triples: [], closed: [] };
  }

  #expire(table: TripleTable, pending: PendingOperation[]): void {
    const time = this.expiredBefore;
    if (time === -OPEN) return;
    for (const key of expiredKeys(table, time)) this.#delete(table, key, pending);
  }

  #add(table: TripleTable, request: AddRequest, pending: PendingOperation[]): Change {
    const { triples, replaces, mustFit } = request;
    this.#dropExpired(table, triples, pending);
    if (!replaces) {
      this.#makeRoom(table, mustFit, pending);
      return { triples: triples.map((each) => this.#addOne(table, each, pending)), closed: [] };
    }
    const now = this.#clock.now(); // one time, or the new fact would begin after the old one ends
    // With its end, a value of the past that is stored already does not count as new.
    this.#makeRoom(table, endedByLater(table, mustFit, now), pending);
    const ended = endedByLater(table, triples, now);
    const closed = this.#replace(table, triples, now, pending);
    return { triples: ended.map((each) => this.#addOne(table, each, pending, now)), closed };
  }

  /**
   * Adds the facts of an import that were not ended here since they were exported, and ends those that were ended
   * there.
   */
  #addImported(
    table: TripleTable,
    { triples, mustFit, leavesDeleted = false }: AddRequest,
    pending: PendingOperation[],
  ): Change {
    const ended = triples.map((triple) => this.#endAsImported(table, triple, pending));
    const isNew = (triple: NewTriple) => !this.#isSettled(table, triple, leavesDeleted);
    const settled = new Set(triples.filter((triple) => !isNew(triple)));
    const request = {
      kind: 'add',
      triples: triples.filter(isNew),
      mustFit: mustFit.filter(isNew),
    } as const;
    const added = [...this.#add(table, { ...request, replaces: false }, pending).triples];
    const unchanged = (triple: NewTriple) => ({
      ...newTriple(triple, triple.ts ?? 0),
      isChanged: false,
    });
    const results = triples.flatMap((triple) =>
      settled.has(triple) ? unchanged(triple) : (added.shift() ?? []),
    );
    return { triples: results.map((each, index) => ended[index] ?? each), closed: [] };
  }

  /** The fact with the start of this triple, which was open; `undefined` if there is none, or the triple has no end. */
  #endAsImported(table: TripleTable, triple: NewTriple, pending: PendingOperation[]) {
    const key = findKey(table, triple);
    const { validTo } = triple;
    if (key === undefined || validTo === undefined || !endsOpen(table, triple)) return undefined;
    const row = table.openRow(key);
    const before = tripleOf(table, row);
    return { ...before, ...this.#close(table, key, row, validTo, pending), isChanged: true };
  }

  /** Deletes expired facts that are added again: otherwise the new ones would be skipped. */
  #dropExpired(
    table: TripleTable,
    triples: readonly NewTriple[],
    pending: PendingOperation[],
  ): void {
    for (const triple of triples) {
      const key = this.#expiredKey(table, triple);
      if (key !== undefined) this.#delete(table, key, pending);
    }
  }

  #expiredKey(table: TripleTable, triple: NewTriple): Key | undefined {
    const time = this.expiredBefore;
    const key = time === -OPEN ? undefined : findKey(table, triple);
    if (key === undefined || table.firstOf(key) === END) return undefined;
    return haveAllExpired(table, key, time) ? key : undefined;
  }

  /** An expired fact is added again. */
  #isSettled(table: TripleTable, triple: NewTriple, leavesDeleted: boolean): boolean {
    return isSettled(table, triple, leavesDeleted) && this.#expiredKey(table, triple) === undefined;
  }

  /** Returns how many facts an import of these would add. */
  countNew(table: TripleTable, triples: readonly NewTriple[], leavesDeleted: boolean): number {
    const ended = new Set(triples.filter((triple) => endsOpen(table, triple)).map(nameOf));
    const isGone = (triple: NewTriple) =>
      this.#expiredKey(table, triple) !== undefined ||
      (triple.validTo === undefined && ended.has(nameOf(triple)));
    const unsettled = triples.filter((triple) => !this.#isSettled(table, triple, leavesDeleted));
    return countNew(table, unsettled, this.#clock.now(), isGone);
  }

  #addOne(
    table: TripleTable,
    triple: NewTriple,
    pending: PendingOperation[],
    now = this.#clock.now(),
  ) {
    const known = storedRow(table, triple, now);
    if (known !== END) return { ...tripleOf(table, known), isChanged: false };
    const key = internKey(table, triple);
    const { validTo = OPEN } = triple;
    const ts = triple.ts ?? Math.min(now, validTo);
    const operation = this.#stamps.stamp(table, key, {
      kind: 'add',
      ts,
      validTo,
      origin: originOf(triple),
    });
    this.#apply(table, key, operation, triple, pending);
    return { ...newTriple(triple, ts), isChanged: true };
  }

  #replace(
    table: TripleTable,
    triples: readonly NewTriple[],
    now: number,
    pending: PendingOperation[],
  ): Triple[] {
    const closed: Triple[] = [];
    for (const { key, row, end } of replacedFacts(table, triples, now)) {
      const old = tripleOf(table, row);
      closed.push({ ...old, ...this.#close(table, key, row, end, pending) });
    }
    return closed;
  }

  #remove(table: TripleTable, request: RemoveRequest, pending: PendingOperation[]): Change {
    const { kind, keys, validTo } = request;
    const now = this.#clock.now();
    const triples = keys.map((named) => {
      const key = findKey(table, named);
      const find = kind === 'close' ? validRow : lastRow;
      const row = key === undefined ? END : find(table, key, now);
      if (key === undefined || row === END) return { ...keyOf(named), ts: 0, isChanged: false };
      const before = tripleOf(table, row);
      if (before.ts > (named.lastTs ?? OPEN)) return { ...before, isChanged: false };
      if (kind === 'delete') {
        this.#delete(table, key, pending);
        return { ...before, isChanged: true };
      }
      return {
        ...before,
        ...this.#close(table, key, row, validTo ?? now, pending),
        isChanged: true,
      };
    });
    return { triples, closed: [] };
  }

  #delete(table: TripleTable, key: Key, pending: PendingOperation[]): void {
    const operation = this.#stamps.stamp(table, key, { kind: 'delete' });
    this.#apply(table, key, operation, namesOf(table, key), pending);
  }

  #close(table: TripleTable, key: Key, row: number, wanted: number, pending: PendingOperation[]) {
    const validTo = Math.max(wanted, table.ts(row));
    const operation = this.#stamps.stamp(table, key, { kind: 'close', validTo });
    this.#apply(table, key, operation, namesOf(table, key), pending);
    return { validTo };
  }

  #apply(
    table: TripleTable,
    key: Key,
    operation: Operation,
    names: TripleKey,
    pending: PendingOperation[],
  ): void {
    table.apply(key, operation);
    pending.push({ key, names, operation, line: `\n${encodeOperation(names, operation)}` });
  }

  #makeRoom(table: TripleTable, triples: readonly NewTriple[], pending: PendingOperation[]): void {
    const { maxTriples, evict } = this.#limits;
    const now = this.#clock.now();
    if (table.count + triples.length <= maxTriples) return;
    if (table.count + countNew(table, triples, now) <= maxTriples) return;
    this.#expire(table, pending);
    const needed = countNew(table, triples, now);
    const excess = table.count + needed - maxTriples;
    if (needed === 0 || excess <= 0) return;
    const protectedNames = new Set(triples.map(nameOf));
    const isProtected = (key: Key) => protectedNames.has(nameOf(namesOf(table, key)));
    const oldest = evict === 'off' ? undefined : keysToEvict(table, excess, isProtected);
    if (oldest === undefined) throw full(table.count, needed, maxTriples);
    for (const key of oldest) this.#delete(table, key, pending);
  }
}

function newTriple(triple: NewTriple, ts: number): Triple {
  const { validTo } = triple;
  return { ...keyOf(triple), ts, ...(validTo !== undefined && { validTo }), ...originOf(triple) };
}

function full(stored: number, needed: number, limit: number): AppError {
  return new AppError(
    'E_KG_FULL',
    `The knowledge graph has ${countOf(stored, 'fact')}, including ended facts. With ${needed} more it would exceed its limit of ${limit}. No fact was added.`,
    { details: { stored, needed, limit } },
  );
}
