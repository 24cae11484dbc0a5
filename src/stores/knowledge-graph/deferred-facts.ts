/**
 * Facts that are added, ended or deleted while the store is away wait in memory to be written
 * (`stores/deferred-writes/write-queue.ts`). The changes are made in the table of the graph without a line in
 * the log, so that every query sees them. Before they are written, the table is read from the files again.
 * A change that was already written has no effect the second time.
 */

import { type Clock, isoTime } from '../../base/clock.js';
import { isAppError } from '../../base/errors.js';
import { countOf } from '../../base/text/display-text.js';
import type { WriteQueue } from '../deferred-writes/write-queue.js';
import type { GraphState } from './graph-state.js';
import { keyOf } from './model/triple.js';
import type {
  AddRequest,
  Change,
  DeferrableRequest,
  PendingOperation,
  RemoveRequest,
} from './table/change-types.js';
import type { Changes } from './table/changes.js';
import type { TripleTable } from './table/triple-table.js';

export interface DeferredFactsParts {
  readonly queue: WriteQueue;
  readonly state: GraphState;
  readonly changes: Changes;
  readonly clock: Clock;
  /** Durable when it resolves. */
  readonly write: (request: DeferrableRequest) => Promise<unknown>;
}

export class DeferredFacts {
  readonly #parts: DeferredFactsParts;
  /** In the order of the calls. */
  readonly #waiting = new Set<DeferrableRequest>();
  /** Whether the table has changes that are not in the files. */
  #isAhead = false;

  constructor(parts: DeferredFactsParts) {
    this.#parts = parts;
    parts.state.whenRead((table) => {
      if (this.#isAhead) this.#applyAll(table);
    });
  }

  /** Calls `now`, or queues the request, whose facts are already masked. */
  run(request: DeferrableRequest, now: () => Promise<Change>): Promise<Change> {
    return this.#parts.queue.run(now, () => this.#wait(request));
  }

  /**
   * Call it before a change that cannot wait. STORAGE_UNAVAILABLE if facts wait and cannot be written yet.
   */
  async requireNone(): Promise<void> {
    if (this.#waiting.size > 0) await this.#parts.queue.requireSettled();
  }

  async #wait(given: DeferrableRequest): Promise<Change> {
    const { queue, state, clock } = this.#parts;
    const isNew = given.kind === 'add';
    const named = isNew ? given.triples : given.keys;
    const bytes = Buffer.byteLength(JSON.stringify(named));
    queue.requireRoom(bytes);
    await state.current();
    const { table } = state.content;
    const nowMs = clock.now();
    const timed = isNew ? withTimes(given, nowMs) : { ...given, validTo: given.validTo ?? nowMs };
    const change = this.#apply(table, timed);
    const request = timed.kind === 'add' ? timed : withLastTimes(timed, change);
    this.#isAhead = true;
    this.#waiting.add(request);
    queue.add({
      name: `${countOf(named.length, 'fact')} ${isNew ? 'of' : 'ended or deleted,'} ${isoTime(nowMs)}`,
      bytes,
      write: () => this.#write(request),
      ended: () => void this.#waiting.delete(request),
    });
    return change;
  }

  async #write(request: DeferrableRequest): Promise<void> {
    const { state, write } = this.#parts;
    if (this.#isAhead) {
      this.#isAhead = false;
      state.invalidate();
    }
    try {
      await write(request);
    } catch (error) {
      this.#isAhead = true;
      this.#applyAll(state.content.table);
      throw error;
    }
  }

  #applyAll(table: TripleTable): void {
    for (const request of this.#waiting) {
      try {
        this.#apply(table, request);
      } catch (error) {
        if (!isAppError(error, 'E_KG_FULL')) throw error; // another process has filled the graph
      }
    }
  }

  #apply(table: TripleTable, request: DeferrableRequest): Change {
    const { state, changes } = this.#parts;
    const pending: PendingOperation[] = [];
    const change = changes.applyRequest(table, request, pending);
    if (state.hasListeners) state.notify(new Set(pending.map(({ key }) => key.s)));
    return change;
  }
}

/** Sets the time of the facts to the time of the call, because the write may be much later. */
function withTimes(request: AddRequest, nowMs: number): AddRequest {
  const triples = request.triples.map((triple) => ({
    ts: Math.min(nowMs, triple.validTo ?? nowMs),
    ...triple,
  }));
  return { ...request, triples, mustFit: triples };
}

/** Removes only facts of the time of the call, so that a later one of another process stays. */
function withLastTimes(request: RemoveRequest, { triples }: Change): RemoveRequest {
  const seen = triples.filter(({ isChanged }) => isChanged);
  return { ...request, keys: seen.map((triple) => ({ ...keyOf(triple), lastTs: triple.ts })) };
}
